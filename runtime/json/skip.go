package json

// Raw takes the next value, whatever it is, and returns its bytes. They belong to the data.
func (r *Reader) Raw() []byte {
	r.peek()
	start := r.pos
	r.skip()
	if r.stopped() {
		return nil
	}
	return r.data[start:r.pos]
}

// skip passes over a value without making anything of it.
func (r *Reader) skip() {
	r.peek()
	var end int
	end, r.closers = valueEnd(r.data, r.pos, r.depth-len(r.frames), r.closers[:0])
	if end < 0 {
		r.bad()
		return
	}
	r.pos = end
}

// valueEnd finds the end of the value that begins at i; -1 if it is not right or nested deeper than
// depth. closers is room for the brackets that are to be closed, and is returned for the next call.
func valueEnd(data []byte, i, depth int, closers []byte) (end int, room []byte) {
	for {
		// A value begins here.
		i = spaceEnd(data, i)
		if i >= len(data) {
			return -1, closers
		}
		switch c := data[i]; c {
		case '{', '[':
			if len(closers) == depth {
				return -1, closers
			}
			i = spaceEnd(data, i+1)
			if i < len(data) && data[i] == c+2 { // the closing bracket is the byte after the next, for both
				i++
				break
			}
			closers = append(closers, c+2)
			if c == '{' {
				if i = keyEnd(data, i); i < 0 {
					return -1, closers
				}
			}
			continue
		default:
			if i = scalarEnd(data, i); i < 0 {
				return -1, closers
			}
		}
		// A value has ended here.
		for {
			if len(closers) == 0 {
				return i, closers
			}
			i = spaceEnd(data, i)
			if i >= len(data) {
				return -1, closers
			}
			closer := closers[len(closers)-1]
			if data[i] == closer {
				closers = closers[:len(closers)-1]
				i++
				continue
			}
			if data[i] != ',' {
				return -1, closers
			}
			i++
			if closer == '}' {
				if i = keyEnd(data, i); i < 0 {
					return -1, closers
				}
			}
			break
		}
	}
}

func spaceEnd(data []byte, i int) int {
	for i < len(data) && isSpace(data[i]) {
		i++
	}
	return i
}

// keyEnd finds the end of a key with its colon; -1 if it is not right.
func keyEnd(data []byte, i int) int {
	i = spaceEnd(data, i)
	if i >= len(data) || data[i] != '"' {
		return -1
	}
	if i, _, _ = stringEnd(data, i+1); i < 0 {
		return -1
	}
	i = spaceEnd(data, i+1)
	if i >= len(data) || data[i] != ':' {
		return -1
	}
	return i + 1
}

// scalarEnd finds the end of a string, a number or a word; -1 if it is not right.
func scalarEnd(data []byte, i int) int {
	switch data[i] {
	case '"':
		end, _, _ := stringEnd(data, i+1)
		if end < 0 {
			return -1
		}
		return end + 1
	case 't':
		return wordEnd(data, i, "true")
	case 'f':
		return wordEnd(data, i, "false")
	case 'n':
		return wordEnd(data, i, "null")
	}
	return numberEnd(data, i)
}

func wordEnd(data []byte, i int, word string) int {
	end := i + len(word)
	if end > len(data) || string(data[i:end]) != word {
		return -1
	}
	return end
}
