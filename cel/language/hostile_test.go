package language_test

import (
	"fmt"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"
)

var stringsType = reflect.TypeFor[[]string]()

// used is the processor time of the process.
func used(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// TestHostile: an expression ends in half a second of processor time, whatever it does.
func TestHostile(t *testing.T) {
	var list, numbers, words []any
	object := map[string]any{}
	for i := range 30_000 {
		object[fmt.Sprint("key", i)] = "value"
		words = append(words, fmt.Sprint("word", i))
	}
	for i := range 1_000_000 {
		numbers = append(numbers, int64(i*7919%1_000_003))
	}
	for range 300 {
		list = append(list, map[string]any{"a": object, "b": []any{"c"}})
	}
	huge := strings.Repeat("a", 3<<20)
	vars := map[string]any{"s": huge, "p": "(a?){40}b", "l": numbers, "m": map[string]any{"object": object, "list": list, "words": words, "text": huge[:20_000], "digits": strings.Repeat("1", 9_000)}}
	const loop = "lists.range(100000)"
	nested := func(body string) string { return loop + ".exists(i, " + loop + ".exists(j, " + body + "))" }
	for _, expression := range []string{
		nested("false"),
		nested("m == [1]"),
		nested("m.object.filter(k, k == 'b').size() == 1"),
		nested("m.words.map(k, k + 'b').exists_one(k, k == '')"),
		nested("m.object.transformMap(k, v, v) == {}"),
		nested("m.words.all(w, m.words.all(v, v != ''))"),
		nested("m.object != m.object"),
		nested("m.list[0] != m.list[1]"),
		nested("[m.object] != [m.object]"),
		nested("optional.of(m.object) != optional.of(m.object)"),
		nested("m.object in [1, 2] || m in m.list"),
		nested("m.object in m.words"),
		nested("m.list.indexOf(m) == 3"),
		nested("m.list.includes(m)"),
		nested("l.indexOf(-1) == 3"),
		nested("-1 in l"),
		"lists.range(100000).map(i, m.object) == lists.range(100000).map(i, m.object)",
		"lists.range(1000).map(i, m.list) != lists.range(1000).map(i, m.list)",
		"lists.range(100000).map(i, l).flatten() == []",
		"'%s'.format([lists.range(100000).map(i, m.object)]) == ''",
		nested("'%s'.format([m.object]) == ''"),
		nested("m.object.transformList(k, v, k).join() == ''"),
		nested("m.words.distinct() == []"),
		nested("m.list.distinct() == []"),
		nested("l.distinct() == []"),
		nested("sets.intersects(l, l)"),
		nested("sets.intersects(m.words, [m.object])"),
		nested("!sets.contains(m.list, m.list)"),
		nested("l.sort() == []"),
		nested("m.words.sort() == []"),
		nested("l.sortBy(x, -x) == []"),
		nested("l.reverse() == []"),
		nested("l.slice(0, 999999) == []"),
		nested("l.sum() == 1"),
		nested("s.split('') == []"),
		nested("s.replace('a', 'b') == ''"),
		nested("s.substring(1).size() == 1"),
		nested("s.indexOf('ab') == 1"),
		nested("s.charAt(3000000) == 'b'"),
		nested("s.contains('ab')"),
		nested("s == s + 'a'"),
		nested("s.lowerAscii() == ''"),
		nested("strings.quote(s) == ''"),
		nested("duration(s) == duration('1s')"),
		nested("timestamp(s) == timestamp(s)"),
		nested("int(s) == 1"),
		nested("double(s) == 1.0"),
		nested("bytes(s) == b''"),
		nested("timestamp('2026-01-01T00:00:00Z').getHours('America/New_York') == 99"),
		nested("quantity(m.digits) == quantity('1')"),
		nested("isQuantity(s)"),
		nested("isSemver(s)"),
		nested("isURL(s) && url(s) == url('a')"),
		nested("isIP(s) || isCIDR(s)"),
		nested("format.dns1123Label().validate(s) == optional.none()"),
		nested("s.matches('b')"),
		nested("s.matches('(a?){999}b')"),
		nested("m.text.matches('(a?){200}b')"),
		nested("m.text.matches(p)"),
		nested("m.text.find(p) == 'b'"),
		nested("m.text.findAll(p) == ['b']"),
		nested("m.text.findAll('.*b|a') == []"),
		nested("m.text.findAll('a') == []"),
		nested("m.text.findAll('.*b|a', 100) == []"),
		nested("'a'.matches('(abcdefg){999}' + string(i + j))"),
		nested("'a'.matches('(abcdefghij){1000}' + string(i + j))"),
		nested("'a'.matches(string(i + j) + '" + strings.Repeat(`\\pL`, 1_500) + "')"),
		nested("'a'.matches(string(i + j) + '(?i)[" + strings.Repeat("B-\U0001e942", 15) + "]')"),
		nested("'a'.find(string(i + j) + '((') == ''"),
		nested("'a'.matches(s)"),
	} {
		before := used(t)
		_, err := evaluate(t, expression, vars)
		spent := used(t) - before
		t.Logf("%.100s: %v of processor time, %.100v", expression, spent.Round(time.Millisecond), err)
		if spent > time.Second {
			t.Errorf("%.100s took %v of processor time", expression, spent)
		}
		if err == nil {
			t.Errorf("%.100s: ended by itself", expression)
		}
	}
}
