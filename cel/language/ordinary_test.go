package language_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestOrdinary: the bounds allow what expressions do with ordinary objects.
func TestOrdinary(t *testing.T) {
	var names, objects, numbers []any
	for i := range 1_000 {
		names = append(names, fmt.Sprintf("a-service-with-a-name-%d.shop.svc.cluster.local", i))
		objects = append(objects, map[string]any{"name": names[i], "ports": []any{map[string]any{"port": int64(i), "protocol": "TCP"}}})
		numbers = append(numbers, int64(i))
	}
	text := strings.Repeat("a line of a script with 12 words, a number 345 and more\n", 100)
	vars := map[string]any{"l": names, "s": text, "p": "[0-9]+", "m": map[string]any{"objects": objects, "numbers": numbers, "some": objects[:100]}}
	for _, expression := range []string{
		"l.distinct().size() == 1000 && m.numbers.distinct() == m.numbers && m.some.distinct() == m.some",
		"sets.contains(l, l) && sets.equivalent(l, l) && sets.intersects(l, ['x', l[999]]) && sets.equivalent(m.some, m.some)",
		"l.sort()[0] < l.sort()[999] && m.numbers.sort() == m.numbers && l.sortBy(x, size(x)).size() == 1000",
		"l.indexOf(l[999]) == 999 && m.objects.indexOf(m.objects[999]) == 999 && m.objects.includes(m.objects[999]) && m.objects[999] in m.objects && l[999] in l",
		"m == m && m.objects == m.objects && !(m.objects != m.objects) && m.objects.all(x, x == x)",
		"l.slice(0, 300).all(x, l.slice(0, 300).exists(y, x == y))",
		"l.all(x, x.matches('^[a-z]([-a-z0-9]{0,61}[a-z0-9])?([.][a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$'))",
		"l.all(x, x.matches('^[a-z]' + '[-a-z0-9.]{1,252}$'))",
		"s.findAll('[0-9]+').size() == 200 && s.findAll(p).size() == 200 && s.find('[0-9]+') == '12' && s.findAll('[a-z]+').size() == 1100 && s.findAll('.*').size() > 100",
		"s.split('\\n').all(x, x == '' || x.matches('^a line .*[0-9]{1,3} words'))",
		"s.split('').join() == s && s.replace('line', 'row').size() < s.size() && s.lowerAscii() == s && s.contains('345') && s.upperAscii() != s",
		"'%s %d %s'.format([s, 1, l]).size() > 50000 && l.join(',').size() > 40000",
		"lists.range(20000).map(x, x).filter(x, x > 1).size() == 19998 && l.map(x, [x] + l).size() == 1000 && m.objects.map(o, o.name) == l",
		"[l, l, [m.numbers]].flatten().size() == 2001 && l.reverse()[0] == l[999] && l.slice(1, 3).size() == 2 && (l + l).size() == 2000",
		"m.numbers.sum() == 499500 && m.numbers.max() == 999 && m.numbers.isSorted() && lists.range(10000).size() == 10000",
		"timestamp('2026-01-01T00:00:00Z').getHours('Europe/Berlin') == 1 && duration('1h') < duration('2h') && int('12') == 12 && bytes(s) == bytes(s)",
		"quantity('1Gi').isGreaterThan(quantity('1Mi')) && semver('1.2.3').major() == 1 && isURL('https://example.com/' + l[0]) && isIP('::1') && cidr('10.0.0.0/8').containsIP('10.1.1.1')",
	} {
		if got, err := evaluate(t, expression, vars); err != nil || got != true {
			t.Errorf("%s: %v, %v", expression, got, err)
		}
	}
}
