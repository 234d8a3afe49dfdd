package json

import (
	"encoding/binary"
	"unsafe"
)

// word is eight bytes that are copied at once.
type word [8]byte

// load and store are one instruction each where the processor reads words that are not aligned.
// Written out, they are cheaper to inline than encoding/binary.
func load(p unsafe.Pointer, i int) uint64 {
	b := (*word)(unsafe.Add(p, i))
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func store(p unsafe.Pointer, i int, x uint64) {
	b := (*word)(unsafe.Add(p, i))
	b[0], b[1], b[2], b[3] = byte(x), byte(x>>8), byte(x>>16), byte(x>>24)
	b[4], b[5], b[6], b[7] = byte(x>>32), byte(x>>40), byte(x>>48), byte(x>>56)
}

func load16(p unsafe.Pointer, i int) uint16 {
	return binary.LittleEndian.Uint16((*[2]byte)(unsafe.Add(p, i))[:])
}

func load32(p unsafe.Pointer, i int) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(p, i))[:])
}

func store32(p unsafe.Pointer, i int, x uint32) {
	binary.LittleEndian.PutUint32((*[4]byte)(unsafe.Add(p, i))[:], x)
}

// endOf is where the next byte of dst goes.
func endOf(dst []byte) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(dst)), len(dst))
}
