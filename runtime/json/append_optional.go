package json

// The functions below leave a field out: a string, a number, a bool or a list that is empty, and a
// pointer that is nil. What they look at is looked at where they are called, since the compiler
// inlines them; nothing is called for a field that is left out.

// AppendOptionalString appends a field with a string, unless that is empty.
func AppendOptionalString[T ~string](dst []byte, name string, s T) []byte {
	if s == "" {
		return dst
	}
	return appendString(dst, name, string(s))
}

// AppendOptionalInt appends a field with a signed integer, unless that is 0.
func AppendOptionalInt[T ~int | ~int8 | ~int16 | ~int32 | ~int64](dst []byte, name string, n T) []byte {
	if n == 0 {
		return dst
	}
	return appendIntField(dst, name, int64(n))
}

// AppendOptionalBool appends a field that is true, unless it is false.
func AppendOptionalBool[T ~bool](dst []byte, name string, b T) []byte {
	if !b {
		return dst
	}
	return appendBoolField(dst, name, true)
}

// AppendStringPointer appends a field with the string that s points to, unless s is nil.
func AppendStringPointer[T ~string](dst []byte, name string, s *T) []byte {
	if s == nil {
		return dst
	}
	return appendString(dst, name, string(*s))
}

// AppendIntPointer appends a field with the signed integer that n points to, unless n is nil.
func AppendIntPointer[T ~int | ~int8 | ~int16 | ~int32 | ~int64](dst []byte, name string, n *T) []byte {
	if n == nil {
		return dst
	}
	return appendIntField(dst, name, int64(*n))
}

// AppendBoolPointer appends a field with the bool that b points to, unless b is nil.
func AppendBoolPointer[T ~bool](dst []byte, name string, b *T) []byte {
	if b == nil {
		return dst
	}
	return appendBoolField(dst, name, bool(*b))
}

// AppendOptionalStrings appends a field with an array of strings, unless that is empty.
func AppendOptionalStrings[E ~string](dst []byte, name string, s []E) []byte {
	if len(s) > 0 {
		dst = appendStringsField(dst, name, s)
	}
	return dst
}

//go:noinline
func appendStringsField[E ~string](dst []byte, name string, s []E) []byte {
	return AppendStrings(AppendName(dst, name), s)
}

// AppendOptionalStringMap appends a field with a map from strings to strings, unless that is empty.
func AppendOptionalStringMap[K, V ~string](dst []byte, name string, m map[K]V) []byte {
	if len(m) > 0 {
		dst = appendStringMapField(dst, name, m)
	}
	return dst
}

//go:noinline
func appendStringMapField[K, V ~string](dst []byte, name string, m map[K]V) []byte {
	return AppendStringMap(AppendName(dst, name), m)
}

// The functions below append what can go wrong. They get the error of the fields before them, and
// after one they do nothing: so the code of a type returns it once, at its end.

// AppendSliceField appends a field with an array, or null; write appends an element.
func AppendSliceField[E any](dst []byte, err error, name string, s []E, write func([]byte, *E) ([]byte, error)) ([]byte, error) {
	if err != nil {
		return dst, err
	}
	return AppendSlice(AppendName(dst, name), s, write)
}

// AppendOptionalSlice appends a field with an array, unless that is empty; write appends an
// element.
func AppendOptionalSlice[E any](dst []byte, err error, name string, s []E, write func([]byte, *E) ([]byte, error)) ([]byte, error) {
	if len(s) > 0 {
		dst, err = appendFullSlice(dst, err, name, s, write)
	}
	return dst, err
}

// appendFullSlice is for arrays that are not empty.
func appendFullSlice[E any](dst []byte, err error, name string, s []E, write func([]byte, *E) ([]byte, error)) ([]byte, error) {
	dst = append(AppendName(dst, name), '[')
	for i := range s {
		if err != nil {
			return dst, err
		}
		dst, err = write(dst, &s[i])
		dst = append(dst, ',')
	}
	dst[len(dst)-1] = ']'
	return dst, err
}
