package embedded

import "testing"

func TestLevelOf(t *testing.T) {
	for _, tc := range []struct {
		mib  int64
		was  level
		want level
	}{
		{600, roomy, roomy}, {512, roomy, roomy}, {511, roomy, low}, {575, low, low}, {576, low, roomy},
		{128, low, low}, {127, low, short}, {143, short, short}, {144, short, low}, {600, short, roomy}, {0, roomy, short},
	} {
		if got := levelOf(tc.mib<<20, tc.was); got != tc.want {
			t.Errorf("%d MiB after level %d: level %d, want %d", tc.mib, tc.was, got, tc.want)
		}
	}
}
