package fairness

import "math"

// MaxHand is how many queues a flow may have. MaxEntropy is how many bits of a hash a hand may
// need; with more the last queue would not be at random.
const (
	MaxHand    = 15
	MaxEntropy = 60
)

// Entropy is how many bits of a hash it takes to deal a hand from a deck, rounded up.
func Entropy(deck, hand int) int { return int(math.Ceil(math.Log2(float64(deck)) * float64(hand))) }

// deal fills hand with different numbers below deck, chosen by the hash. Hashes that are equally
// likely make all hands equally likely.
func deal(hash uint64, deck int, hand []int) {
	for i := range hand {
		left := uint64(deck - i)
		card := int(hash % left)
		hash /= left
		// card counts those that are still in the deck; those dealt before are jumped over, from
		// the last one to the first.
		hand[i] = card
	}
	for i := len(hand) - 1; i >= 0; i-- {
		for j := i - 1; j >= 0; j-- {
			if hand[i] >= hand[j] {
				hand[i]++
			}
		}
	}
}
