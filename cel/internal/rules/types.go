package rules

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Thing has rules, each with its opposite: what can't be said makes both fail.
type Thing struct {
	Spec Spec `json:"spec"`
}

// Spec is what the rules are about.
//
// +kubebuilder:validation:XValidation:rule="self.items.exists_one(i, i.name == 'a')"
// +kubebuilder:validation:XValidation:rule="!(self.items.exists_one(i, i.name == 'a'))"
// +kubebuilder:validation:XValidation:rule="self.items.exists_one(i, i.weight > 1)"
// +kubebuilder:validation:XValidation:rule="!(self.items.exists_one(i, i.weight > 1))"
// +kubebuilder:validation:XValidation:rule="self.items.filter(i, i.weight > 1).size() > 0"
// +kubebuilder:validation:XValidation:rule="!(self.items.filter(i, i.weight > 1).size() > 0)"
// +kubebuilder:validation:XValidation:rule="self.items.filter(i, has(i.weight)).all(i, i.weight < 3)"
// +kubebuilder:validation:XValidation:rule="!(self.items.filter(i, has(i.weight)).all(i, i.weight < 3))"
// +kubebuilder:validation:XValidation:rule="self.items.filter(i, has(i.weight) && i.weight > 0 || i.name == 'b').exists(i, i.name != 'a')"
// +kubebuilder:validation:XValidation:rule="!(self.items.filter(i, has(i.weight) && i.weight > 0 || i.name == 'b').exists(i, i.name != 'a'))"
// +kubebuilder:validation:XValidation:rule="self.items.map(i, i.name) == self.list"
// +kubebuilder:validation:XValidation:rule="!(self.items.map(i, i.name) == self.list)"
// +kubebuilder:validation:XValidation:rule="self.items.map(i, has(i.weight), i.weight + 1).exists(w, w > 2)"
// +kubebuilder:validation:XValidation:rule="!(self.items.map(i, has(i.weight), i.weight + 1).exists(w, w > 2))"
// +kubebuilder:validation:XValidation:rule="self.items.map(i, i.weight * 2).all(w, w < 5)"
// +kubebuilder:validation:XValidation:rule="!(self.items.map(i, i.weight * 2).all(w, w < 5))"
// +kubebuilder:validation:XValidation:rule="self.items.all(i, i.weight > 0) || self.items.exists(i, i.weight == 2)"
// +kubebuilder:validation:XValidation:rule="!(self.items.all(i, i.weight > 0) || self.items.exists(i, i.weight == 2))"
// +kubebuilder:validation:XValidation:rule="'ax' in self.items.map(i, i.name + 'x')"
// +kubebuilder:validation:XValidation:rule="!('ax' in self.items.map(i, i.name + 'x'))"
// +kubebuilder:validation:XValidation:rule="self.list + ['z'] == ['a', 'z']"
// +kubebuilder:validation:XValidation:rule="!(self.list + ['z'] == ['a', 'z'])"
// +kubebuilder:validation:XValidation:rule="['a', 'b'].all(x, x in self.list)"
// +kubebuilder:validation:XValidation:rule="!(['a', 'b'].all(x, x in self.list))"
// +kubebuilder:validation:XValidation:rule="[self.kind, 'x'].exists_one(x, x == 'x')"
// +kubebuilder:validation:XValidation:rule="!([self.kind, 'x'].exists_one(x, x == 'x'))"
// +kubebuilder:validation:XValidation:rule="self.labels.all(k, size(self.labels[k]) > 0)"
// +kubebuilder:validation:XValidation:rule="!(self.labels.all(k, size(self.labels[k]) > 0))"
// +kubebuilder:validation:XValidation:rule="self.labels.exists_one(k, k.startsWith('a'))"
// +kubebuilder:validation:XValidation:rule="!(self.labels.exists_one(k, k.startsWith('a')))"
// +kubebuilder:validation:XValidation:rule="self.labels.filter(k, k != 'a') == ['b']"
// +kubebuilder:validation:XValidation:rule="!(self.labels.filter(k, k != 'a') == ['b'])"
// +kubebuilder:validation:XValidation:rule="self.labels.map(k, self.labels[k]).exists(v, v == 'x')"
// +kubebuilder:validation:XValidation:rule="!(self.labels.map(k, self.labels[k]).exists(v, v == 'x'))"
// +kubebuilder:validation:XValidation:rule="self.?limits.max.orValue(7) > self.count"
// +kubebuilder:validation:XValidation:rule="!(self.?limits.max.orValue(7) > self.count)"
// +kubebuilder:validation:XValidation:rule="self.?limits.?min.hasValue()"
// +kubebuilder:validation:XValidation:rule="!(self.?limits.?min.hasValue())"
// +kubebuilder:validation:XValidation:rule="self.?limits.min.hasValue() == has(self.limits)"
// +kubebuilder:validation:XValidation:rule="!(self.?limits.min.hasValue() == has(self.limits))"
// +kubebuilder:validation:XValidation:rule="self.?limits.max.value() > 2"
// +kubebuilder:validation:XValidation:rule="!(self.?limits.max.value() > 2)"
// +kubebuilder:validation:XValidation:rule="self.?limits.optMap(l, l.max).orValue(1) == 1"
// +kubebuilder:validation:XValidation:rule="!(self.?limits.optMap(l, l.max).orValue(1) == 1)"
// +kubebuilder:validation:XValidation:rule="self.list[?1].orValue('-') == 'b'"
// +kubebuilder:validation:XValidation:rule="!(self.list[?1].orValue('-') == 'b')"
// +kubebuilder:validation:XValidation:rule="self.list[?self.count].hasValue()"
// +kubebuilder:validation:XValidation:rule="!(self.list[?self.count].hasValue())"
// +kubebuilder:validation:XValidation:rule="self.labels[?'a'].orValue('none') in ['x', 'none']"
// +kubebuilder:validation:XValidation:rule="!(self.labels[?'a'].orValue('none') in ['x', 'none'])"
// +kubebuilder:validation:XValidation:rule="self.?limits.max.orValue(self.list[0].size()) > 1"
// +kubebuilder:validation:XValidation:rule="!(self.?limits.max.orValue(self.list[0].size()) > 1)"
// +kubebuilder:validation:XValidation:rule="self.maybe == null"
// +kubebuilder:validation:XValidation:rule="!(self.maybe == null)"
// +kubebuilder:validation:XValidation:rule="self.maybe != null && self.maybe != 'x'"
// +kubebuilder:validation:XValidation:rule="!(self.maybe != null && self.maybe != 'x')"
// +kubebuilder:validation:XValidation:rule="self.start == null || self.kind == 'x'"
// +kubebuilder:validation:XValidation:rule="!(self.start == null || self.kind == 'x')"
// +kubebuilder:validation:XValidation:rule="has(self.limits) && self.limits != null"
// +kubebuilder:validation:XValidation:rule="!(has(self.limits) && self.limits != null)"
// +kubebuilder:validation:XValidation:rule="duration(self.timeout) <= duration('1m')"
// +kubebuilder:validation:XValidation:rule="!(duration(self.timeout) <= duration('1m'))"
// +kubebuilder:validation:XValidation:rule="duration(self.period) > duration(self.timeout)"
// +kubebuilder:validation:XValidation:rule="!(duration(self.period) > duration(self.timeout))"
// +kubebuilder:validation:XValidation:rule="duration(self.timeout) + duration('1h') - duration('30s') == duration('1h')"
// +kubebuilder:validation:XValidation:rule="!(duration(self.timeout) + duration('1h') - duration('30s') == duration('1h'))"
// +kubebuilder:validation:XValidation:rule="duration(self.timeout).getSeconds() % 60 == 0 && duration(self.timeout).getMilliseconds() < 100000"
// +kubebuilder:validation:XValidation:rule="!(duration(self.timeout).getSeconds() % 60 == 0 && duration(self.timeout).getMilliseconds() < 100000)"
// +kubebuilder:validation:XValidation:rule="string(duration(self.timeout)) == '30s'"
// +kubebuilder:validation:XValidation:rule="!(string(duration(self.timeout)) == '30s')"
// +kubebuilder:validation:XValidation:rule="self.start < self.end"
// +kubebuilder:validation:XValidation:rule="!(self.start < self.end)"
// +kubebuilder:validation:XValidation:rule="self.end - self.start >= duration('1h')"
// +kubebuilder:validation:XValidation:rule="!(self.end - self.start >= duration('1h'))"
// +kubebuilder:validation:XValidation:rule="self.start + duration(self.timeout) == self.end"
// +kubebuilder:validation:XValidation:rule="!(self.start + duration(self.timeout) == self.end)"
// +kubebuilder:validation:XValidation:rule="self.end - duration('720h') < timestamp('2026-02-01T00:00:00Z')"
// +kubebuilder:validation:XValidation:rule="!(self.end - duration('720h') < timestamp('2026-02-01T00:00:00Z'))"
// +kubebuilder:validation:XValidation:rule="self.start.getFullYear() == 2026 && self.start.getMonth() == 1 && self.start.getDayOfMonth() < 10"
// +kubebuilder:validation:XValidation:rule="!(self.start.getFullYear() == 2026 && self.start.getMonth() == 1 && self.start.getDayOfMonth() < 10)"
// +kubebuilder:validation:XValidation:rule="self.end.getDayOfWeek() == 0 || self.end.getDayOfYear() > 300 || self.end.getMinutes() + self.end.getSeconds() == 0"
// +kubebuilder:validation:XValidation:rule="!(self.end.getDayOfWeek() == 0 || self.end.getDayOfYear() > 300 || self.end.getMinutes() + self.end.getSeconds() == 0)"
// +kubebuilder:validation:XValidation:rule="int(self.start) % 60 == 0"
// +kubebuilder:validation:XValidation:rule="!(int(self.start) % 60 == 0)"
// +kubebuilder:validation:XValidation:rule="string(self.start) == '2026-02-01T00:00:00Z'"
// +kubebuilder:validation:XValidation:rule="!(string(self.start) == '2026-02-01T00:00:00Z')"
// +kubebuilder:validation:XValidation:rule="timestamp(self.kind) > self.start"
// +kubebuilder:validation:XValidation:rule="!(timestamp(self.kind) > self.start)"
// +kubebuilder:validation:XValidation:rule="quantity(self.size).isGreaterThan(quantity('1Gi'))"
// +kubebuilder:validation:XValidation:rule="!(quantity(self.size).isGreaterThan(quantity('1Gi')))"
// +kubebuilder:validation:XValidation:rule="quantity(self.size) == quantity('1024Mi') || quantity(self.size) != quantity('1500m')"
// +kubebuilder:validation:XValidation:rule="!(quantity(self.size) == quantity('1024Mi') || quantity(self.size) != quantity('1500m'))"
// +kubebuilder:validation:XValidation:rule="quantity(self.cap).compareTo(quantity(self.size)) >= 0"
// +kubebuilder:validation:XValidation:rule="!(quantity(self.cap).compareTo(quantity(self.size)) >= 0)"
// +kubebuilder:validation:XValidation:rule="quantity(self.size).isInteger() && quantity(self.size).add(quantity('500m')) != quantity('2500m')"
// +kubebuilder:validation:XValidation:rule="!(quantity(self.size).isInteger() && quantity(self.size).add(quantity('500m')) != quantity('2500m'))"
// +kubebuilder:validation:XValidation:rule="quantity(self.size).sub(1).asInteger() > 0"
// +kubebuilder:validation:XValidation:rule="!(quantity(self.size).sub(1).asInteger() > 0)"
// +kubebuilder:validation:XValidation:rule="quantity(self.kind).asApproximateFloat() > 1.0"
// +kubebuilder:validation:XValidation:rule="!(quantity(self.kind).asApproximateFloat() > 1.0)"
// +kubebuilder:validation:XValidation:rule="self.kind.split('-')[0] == '2027'"
// +kubebuilder:validation:XValidation:rule="!(self.kind.split('-')[0] == '2027')"
// +kubebuilder:validation:XValidation:rule="self.kind.split('0', 2).size() == 2"
// +kubebuilder:validation:XValidation:rule="!(self.kind.split('0', 2).size() == 2)"
// +kubebuilder:validation:XValidation:rule="self.kind.upperAscii() == 'X' || self.kind.lowerAscii() == '2gi'"
// +kubebuilder:validation:XValidation:rule="!(self.kind.upperAscii() == 'X' || self.kind.lowerAscii() == '2gi')"
// +kubebuilder:validation:XValidation:rule="self.kind.replace('5', 'x').contains('x')"
// +kubebuilder:validation:XValidation:rule="!(self.kind.replace('5', 'x').contains('x'))"
// +kubebuilder:validation:XValidation:rule="self.kind.replace('0', 'y', 1).contains('0')"
// +kubebuilder:validation:XValidation:rule="!(self.kind.replace('0', 'y', 1).contains('0'))"
// +kubebuilder:validation:XValidation:rule="self.kind.indexOf('0') > 0 && self.kind.indexOf('0') < self.kind.lastIndexOf('0')"
// +kubebuilder:validation:XValidation:rule="!(self.kind.indexOf('0') > 0 && self.kind.indexOf('0') < self.kind.lastIndexOf('0'))"
// +kubebuilder:validation:XValidation:rule="self.kind.substring(1).size() == 0"
// +kubebuilder:validation:XValidation:rule="!(self.kind.substring(1).size() == 0)"
// +kubebuilder:validation:XValidation:rule="self.kind.substring(0, 4) == '2027'"
// +kubebuilder:validation:XValidation:rule="!(self.kind.substring(0, 4) == '2027')"
// +kubebuilder:validation:XValidation:rule="self.list.join('+') == 'a+b'"
// +kubebuilder:validation:XValidation:rule="!(self.list.join('+') == 'a+b')"
// +kubebuilder:validation:XValidation:rule="self.items.map(i, i.name).join() == 'aa'"
// +kubebuilder:validation:XValidation:rule="!(self.items.map(i, i.name).join() == 'aa')"
// +kubebuilder:validation:XValidation:rule="int(self.kind.substring(0, 1)) > 1"
// +kubebuilder:validation:XValidation:rule="!(int(self.kind.substring(0, 1)) > 1)"
// +kubebuilder:validation:XValidation:rule="double(self.kind.substring(0, 1)) > 1.0"
// +kubebuilder:validation:XValidation:rule="!(double(self.kind.substring(0, 1)) > 1.0)"
// +kubebuilder:validation:XValidation:rule="(' ' + self.kind).trim() == 'a'"
// +kubebuilder:validation:XValidation:rule="!((' ' + self.kind).trim() == 'a')"
// +kubebuilder:validation:XValidation:rule="(!has(self.limits) || self.limits.max > 1) == (self.on && self.count > 0)"
// +kubebuilder:validation:XValidation:rule="!((!has(self.limits) || self.limits.max > 1) == (self.on && self.count > 0))"
// +kubebuilder:validation:XValidation:rule="self.items.all(i, i.weight > 1) == self.on"
// +kubebuilder:validation:XValidation:rule="!(self.items.all(i, i.weight > 1) == self.on)"
// +kubebuilder:validation:XValidation:rule="(self.on ? !(self.count > 1) : self.items.exists(i, i.name == 'a')) != (self.list.size() == 1)"
// +kubebuilder:validation:XValidation:rule="!((self.on ? !(self.count > 1) : self.items.exists(i, i.name == 'a')) != (self.list.size() == 1))"
// +kubebuilder:validation:XValidation:rule="isQuantity(self.kind)"
// +kubebuilder:validation:XValidation:rule="!(isQuantity(self.kind))"
// +kubebuilder:validation:XValidation:rule="sign(quantity(self.size)) == 1"
// +kubebuilder:validation:XValidation:rule="!(sign(quantity(self.size)) == 1)"
// +kubebuilder:validation:XValidation:rule="self.count / self.big > 0 || self.count % self.big == 1"
// +kubebuilder:validation:XValidation:rule="!(self.count / self.big > 0 || self.count % self.big == 1)"
// +kubebuilder:validation:XValidation:rule="self.big * 4611686018427387904 > 0"
// +kubebuilder:validation:XValidation:rule="!(self.big * 4611686018427387904 > 0)"
// +kubebuilder:validation:XValidation:rule="self.ratio * 2.0 > double(self.count)"
// +kubebuilder:validation:XValidation:rule="!(self.ratio * 2.0 > double(self.count))"
// +kubebuilder:validation:XValidation:rule="self.on ? self.items[0].weight > 0 : self.list.size() < 2"
// +kubebuilder:validation:XValidation:rule="!(self.on ? self.items[0].weight > 0 : self.list.size() < 2)"
// +kubebuilder:validation:XValidation:rule="self.kind.matches('^[a-z]$') && !self.kind.startsWith('x')"
// +kubebuilder:validation:XValidation:rule="!(self.kind.matches('^[a-z]$') && !self.kind.startsWith('x'))"
// +kubebuilder:validation:XValidation:rule="self.count > oldSelf.count || self.list == oldSelf.list"
// +kubebuilder:validation:XValidation:rule="!(self.count > oldSelf.count || self.list == oldSelf.list)"
// +kubebuilder:validation:XValidation:rule="oldSelf.items.all(o, self.items.exists(i, i.name == o.name))"
// +kubebuilder:validation:XValidation:rule="!(oldSelf.items.all(o, self.items.exists(i, i.name == o.name)))"
// +kubebuilder:validation:XValidation:rule="self.start == oldSelf.start || self.start > oldSelf.start"
// +kubebuilder:validation:XValidation:rule="!(self.start == oldSelf.start || self.start > oldSelf.start)"
// +kubebuilder:validation:XValidation:rule="quantity(self.size).compareTo(quantity(oldSelf.size)) <= 0"
// +kubebuilder:validation:XValidation:rule="!(quantity(self.size).compareTo(quantity(oldSelf.size)) <= 0)"
type Spec struct {
	Kind    string             `json:"kind"`
	Count   int32              `json:"count"`
	Big     int64              `json:"big"`
	Ratio   float64            `json:"ratio"`
	On      bool               `json:"on"`
	List    []string           `json:"list"`
	Items   []Item             `json:"items"`
	Labels  map[string]string  `json:"labels"`
	Limits  *Limits            `json:"limits,omitempty"`
	Maybe   *string            `json:"maybe"`
	Timeout metav1.Duration    `json:"timeout"`
	Period  string             `json:"period"`
	Start   metav1.Time        `json:"start"`
	End     *metav1.Time       `json:"end,omitempty"`
	Size    resource.Quantity  `json:"size"`
	Cap     *resource.Quantity `json:"cap,omitempty"`
}

// Item is one of several.
type Item struct {
	Name   string `json:"name"`
	Weight *int32 `json:"weight,omitempty"`
}

// Limits may be there or not.
type Limits struct {
	Min *int64 `json:"min,omitempty"`
	Max *int64 `json:"max,omitempty"`
}
