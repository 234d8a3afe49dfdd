package packaging

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strings"
)

// Sizes of what is drawn, in pixels.
const (
	column, row = 55, 32 // of the dashboard's grid, which has 24 columns
	gap         = 6
)

var colours = []string{"#73bf69", "#f2cc0c", "#5794f2", "#ff780a", "#f2495c", "#b877d9", "#37872d", "#e0b400", "#1f60c4", "#fa6400"}

// drawn is the dashboard as SVG: not as Grafana draws it, but with all that it would show.
func drawn(panels []*panel) []byte {
	var b bytes.Buffer
	height := 0
	for _, p := range panels {
		height = max(height, (p.GridPos.Y+p.GridPos.H)*row)
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11" fill="#ccccdc"><rect width="100%%" height="100%%" fill="#111217"/>`, 24*column, height)
	for _, p := range panels {
		w, h := p.GridPos.W*column-gap, p.GridPos.H*row-gap
		fmt.Fprintf(&b, `<g transform="translate(%d %d)"><rect width="%d" height="%d" fill="#181b1f" stroke="#2c3235"/><text x="8" y="18" font-size="13" font-weight="bold">%s</text>`, p.GridPos.X*column, p.GridPos.Y*row, w, h, html.EscapeString(p.Title))
		if p.Type == "stat" {
			value, _ := p.shown[0].last()
			fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="28" fill="#73bf69" text-anchor="middle">%s</text>`, w/2, h/2+20, inUnit(value, p.FieldConfig.Defaults.Unit))
		} else {
			p.draw(&b, float64(w), float64(h))
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// draw draws the lines of a panel over the last minute, from zero to the highest value, and lists
// them with their last values.
func (p *panel) draw(b *bytes.Buffer, w, h float64) {
	unit, highest, first, last := p.FieldConfig.Defaults.Unit, 0.0, math.Inf(1), 0.0
	for _, l := range p.shown {
		for _, v := range l.Values {
			if !math.IsNaN(v.value) && !math.IsInf(v.value, 0) {
				highest, first, last = max(highest, v.value), min(first, v.at), max(last, v.at)
			}
		}
	}
	if highest == 0 {
		highest = 1
	}
	listed := min(len(p.shown), 8)
	top, bottom, left := 30.0, h-14*float64((listed+1)/2)-10, 70.0
	fmt.Fprintf(b, `<text x="%g" y="%g" text-anchor="end">%s</text><text x="%g" y="%g" text-anchor="end">0</text><path d="M%g %gH%g" stroke="#2c3235"/>`, left-6, top+8, inUnit(highest, unit), left-6, bottom, left, bottom, w-8)
	for i, l := range p.shown {
		colour := colours[i%len(colours)]
		var points []string
		for _, v := range l.Values {
			if !math.IsNaN(v.value) && !math.IsInf(v.value, 0) {
				points = append(points, fmt.Sprintf("%.1f,%.1f", left+(v.at-first)/max(last-first, 1)*(w-left-8), bottom-v.value/highest*(bottom-top)))
			}
		}
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5"/>`, strings.Join(points, " "), colour)
		if i < listed {
			value, _ := l.last()
			x, y := 8+float64(i%2)*(w-8)/2, bottom+16+float64(i/2)*14
			fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-size="10" fill="%s">%s: %s</text>`, x, y, colour, html.EscapeString(shortened(l.legend)), inUnit(value, unit))
		}
	}
}

// shortened is a legend that half of a panel has room for.
func shortened(legend string) string {
	if letters := []rune(legend); len(letters) > 26 {
		return string(letters[:25]) + "…"
	}
	return legend
}

// inUnit is a value as Grafana shows it in a unit.
func inUnit(value float64, unit string) string {
	switch unit {
	case "s":
		switch {
		case value != 0 && value < 1e-3:
			return fmt.Sprintf("%.3g µs", value*1e6)
		case value != 0 && value < 1:
			return fmt.Sprintf("%.3g ms", value*1e3)
		}
		return fmt.Sprintf("%.3g s", value)
	case "percentunit":
		return fmt.Sprintf("%.3g%%", value*100)
	case "bytes":
		return scaled(value, 1024, " B", " KiB", " MiB", " GiB", " TiB")
	case "Bps":
		return scaled(value, 1000, " B/s", " kB/s", " MB/s", " GB/s")
	case "reqps":
		return fmt.Sprintf("%.3g req/s", value)
	case "cps":
		return fmt.Sprintf("%.3g c/s", value)
	case "ops":
		return fmt.Sprintf("%.3g ops/s", value)
	}
	return scaled(value, 1000, "", " K", " Mil", " Bil")
}

func scaled(value, step float64, units ...string) string {
	i := 0
	for ; i+1 < len(units) && value >= step; i++ {
		value /= step
	}
	return fmt.Sprintf("%.4g%s", value, units[i])
}
