package console

// maxLine is how long a line can get; a longer one is cut.
const maxLine = 4 << 10

// What a terminal sends for keys that are no letters.
const (
	ctrlC     = 3
	ctrlD     = 4
	backspace = 8
	del       = 127
)

// input makes lines of what a client types. It is for one goroutine at a time.
type input struct{ line []byte }

// take adds what was typed. It returns the lines that are complete, with their ends. A client at a
// terminal sends each key, and relies on the other side to show them: shown is that. end says that
// it has typed that it is done.
func (i *input) take(data []byte, terminal bool) (lines, shown []byte, end bool) {
	if !terminal {
		for _, b := range data {
			lines = i.add(lines, b)
		}
		return lines, nil, false
	}
	for _, b := range data {
		switch b {
		case ctrlC, ctrlD:
			return lines, shown, true
		case backspace, del:
			if n := len(i.line); n > 0 {
				i.line = i.line[:n-1]
				shown = append(shown, "\b \b"...)
			}
		case '\r', '\n':
			lines = i.add(lines, '\n')
			shown = append(shown, "\r\n"...)
		default:
			lines = i.add(lines, b)
			shown = append(shown, b)
		}
	}
	return lines, shown, false
}

// add appends a byte to the line, and the line to lines when it is complete.
func (i *input) add(lines []byte, b byte) []byte {
	if b != '\n' {
		i.line = append(i.line, b)
		if len(i.line) < maxLine {
			return lines
		}
	}
	lines = append(append(lines, i.line...), '\n')
	i.line = i.line[:0]
	return lines
}

// rest is the line that was begun, with an end; nothing if there is none.
func (i *input) rest() []byte {
	if len(i.line) == 0 {
		return nil
	}
	return i.add(nil, '\n')
}
