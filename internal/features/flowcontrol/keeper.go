package flowcontrol

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/internal/fairness"
	"github.com/typeplane/typeplane/internal/follow"
	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/registry/rest"
)

// keeper follows the objects and hands them to the controller. It creates the deleted ones that
// every server has. It reports in the status of schemas whether their level exists (judge), and in
// the status of schemas and levels if they are not valid (report.go). Every server does that: the
// first one writes, and the others find it written.
type keeper struct {
	schemas, status     *rest.Resource
	levels, levelStatus *rest.Resource
	controller          *fairness.Controller
	log                 *slog.Logger
	changed             chan struct{} // has one element when there is something to be kept
	done                atomic.Bool   // the objects that every server has were made

	mu         sync.Mutex // guards what follows
	nowSchemas []*flowcontrolv1.FlowSchema
	nowLevels  []*flowcontrolv1.PriorityLevelConfiguration
	seen       [2]bool // schemas and levels, at least once
	// The errors of the schemas and levels that have no effect, by name.
	badSchemas, badLevels map[string]error
}

var errNotMade = errors.New("the flow schemas and priority levels of every server have not been made yet")

// Ready fails until the objects that every server has are there.
func (k *keeper) Ready(context.Context) error {
	if !k.done.Load() {
		return errNotMade
	}
	return nil
}

// retry is the pause after objects could not be kept, for instance because etcd does not answer.
const retry = time.Second

func (k *keeper) run(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() {
		follow.Keep(ctx, k.schemas, k.log, func(now []*flowcontrolv1.FlowSchema) { k.set(func() { k.nowSchemas, k.seen[0] = now, true }) })
	})
	all.Go(func() {
		follow.Keep(ctx, k.levels, k.log, func(now []*flowcontrolv1.PriorityLevelConfiguration) {
			k.set(func() { k.nowLevels, k.seen[1] = now, true })
		})
	})
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.changed:
		}
		for ctx.Err() == nil {
			err := k.keepAll(ctx)
			if err == nil {
				k.done.Store(true)
				break
			}
			if ctx.Err() == nil {
				k.log.Error("flow schemas and priority levels could not be kept; it is tried again", "error", err)
			}
			_ = wait.Sleep(ctx, retry)
		}
	}
}

// set takes over what one of the resources has, and hands all to the controller once both are
// known. Until then the levels hold that every server has.
func (k *keeper) set(change func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change()
	if k.seen != [2]bool{true, true} {
		return
	}
	if len(k.nowSchemas) > 0 && len(k.nowLevels) > 0 {
		schemas, badSchemas := usable(k.log, k.nowSchemas, func(s *flowcontrolv1.FlowSchema) field.ErrorList {
			return validateSchemaSpec(s.Name, &s.Spec, field.NewPath("spec"))
		})
		levels, badLevels := usable(k.log, k.nowLevels, func(l *flowcontrolv1.PriorityLevelConfiguration) field.ErrorList {
			return validateLevelSpec(l.Name, &l.Spec, field.NewPath("spec"))
		})
		k.badSchemas, k.badLevels = badSchemas, badLevels
		k.controller.Set(ConfigOf(schemas, levels))
	}
	select {
	case k.changed <- struct{}{}:
	default:
	}
}

// usable returns the objects that are valid, and the errors of the others by name. Another program
// has stored those. A level without queues, for example, would make every request panic.
func usable[P metav1.Object](log *slog.Logger, all []P, validate func(P) field.ErrorList) (valid []P, bad map[string]error) {
	bad = map[string]error{}
	for _, obj := range all {
		err := recovery.Call(log, "flowcontrol", obj.GetName(), func() error { return validate(obj).ToAggregate() })
		if err != nil {
			log.Error("a flow schema or priority level is not valid, and has no effect", "name", obj.GetName(), "error", err)
			bad[obj.GetName()] = err
			continue
		}
		valid = append(valid, obj)
	}
	return valid, bad
}

func (k *keeper) keepAll(ctx context.Context) error {
	if err := bootstrap(ctx, k.schemas, k.levels); err != nil {
		return err
	}
	k.mu.Lock()
	schemas, levels := k.nowSchemas, k.nowLevels
	badSchemas, badLevels := k.badSchemas, k.badLevels
	k.mu.Unlock()
	for _, s := range schemas {
		if err := k.judge(ctx, s, levels); err != nil {
			return fmt.Errorf("the status of flow schema %q: %w", s.Name, err)
		}
		if err := k.reportSchema(ctx, s, badSchemas[s.Name]); err != nil {
			return fmt.Errorf("the status of flow schema %q: %w", s.Name, err)
		}
	}
	for _, l := range levels {
		if err := k.reportLevel(ctx, l, badLevels[l.Name]); err != nil {
			return fmt.Errorf("the status of priority level %q: %w", l.Name, err)
		}
	}
	return nil
}

// judge writes whether the level of a schema is there. If the schema has changed meanwhile, it
// comes again.
func (k *keeper) judge(ctx context.Context, s *flowcontrolv1.FlowSchema, levels []*flowcontrolv1.PriorityLevelConfiguration) error {
	level := s.Spec.PriorityLevelConfiguration.Name
	want := flowcontrolv1.FlowSchemaCondition{
		Type: flowcontrolv1.FlowSchemaConditionDangling, Status: flowcontrolv1.ConditionFalse, Reason: "Found",
		Message: fmt.Sprintf("This FlowSchema references the PriorityLevelConfiguration object named %q and it exists", level),
	}
	if !slices.ContainsFunc(levels, func(l *flowcontrolv1.PriorityLevelConfiguration) bool { return l.Name == level }) {
		want.Status, want.Reason = flowcontrolv1.ConditionTrue, "NotFound"
		want.Message = fmt.Sprintf("This FlowSchema references the PriorityLevelConfiguration object named %q but there is no such object", level)
	}
	next := s.DeepCopy()
	i := slices.IndexFunc(next.Status.Conditions, func(c flowcontrolv1.FlowSchemaCondition) bool { return c.Type == want.Type })
	if i < 0 {
		i, next.Status.Conditions = len(next.Status.Conditions), append(next.Status.Conditions, flowcontrolv1.FlowSchemaCondition{})
	}
	have := &next.Status.Conditions[i]
	want.LastTransitionTime = have.LastTransitionTime
	if *have == want {
		return nil
	}
	if have.Status != want.Status {
		want.LastTransitionTime = metav1.Now()
	}
	*have = want
	_, _, err := k.status.Update.Update(ctx, new(rest.Request), rest.Name{Name: s.Name}, next, metav1.UpdateOptions{})
	return ignoreOvertaken(err)
}
