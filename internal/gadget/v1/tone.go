package v1

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// MarshalJSON writes "440Hz", or null for silence.
func (t Tone) MarshalJSON() ([]byte, error) {
	if t.Hertz == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(strconv.FormatFloat(t.Hertz, 'g', -1, 64) + "Hz")
}

// UnmarshalJSON reads "440Hz", "0.44kHz" or 440.
func (t *Tone) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &t.Hertz) == nil {
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	number, factor := strings.TrimSuffix(text, "Hz"), 1.0
	if thousands, ok := strings.CutSuffix(number, "k"); ok {
		number, factor = thousands, 1000
	}
	hertz, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return fmt.Errorf("%q is no tone: write it like 440Hz", text)
	}
	t.Hertz = hertz * factor
	return nil
}
