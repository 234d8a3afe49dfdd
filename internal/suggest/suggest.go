// Package suggest finds the word that a user probably meant: for flags, tags and plug-in names that
// do not exist. Start reading at Nearest.
package suggest

// Nearest returns the candidate that is closest to word, or "" if none is close enough to be a
// typing mistake (more than a third of the letters differ). If some are equally close, the first
// wins.
func Nearest(word string, candidates []string) string {
	best, bestDistance := "", len(word)/3+1
	for _, c := range candidates {
		if d := distance(word, c); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// Slip returns the candidate that differs from word in one letter, or in two neighbours that
// changed places; "" if there is none.
func Slip(word string, candidates []string) string {
	for _, c := range candidates {
		if distance(word, c) == 1 {
			return c
		}
	}
	return ""
}

// distance is how many letters must be put in, taken out or replaced, or neighbours swapped, to
// make b of a.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			replace := last[j]
			if a[i] != b[j] {
				replace++
			}
			row[j+1] = min(replace, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
