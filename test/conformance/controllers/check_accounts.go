package main

import (
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func accountChecks(w *world, config *rest.Config) []check {
	const ns = "accounts"
	accounts := w.client.CoreV1().ServiceAccounts(ns)
	roots := w.client.CoreV1().ConfigMaps(ns)
	account := func(ctx context.Context) (*v1.ServiceAccount, error) {
		return accounts.Get(ctx, "default", metav1.GetOptions{})
	}
	return []check{
		{"accounts: a new namespace gets its default account", func(ctx context.Context) error {
			if err := w.namespace(ctx, ns); err != nil {
				return err
			}
			_, err := account(ctx)
			return err
		}},
		{"accounts: the default account is made again when it was deleted", func(ctx context.Context) error {
			before, err := account(ctx)
			if err != nil {
				return err
			}
			if err := accounts.Delete(ctx, "default", metav1.DeleteOptions{}); err != nil {
				return err
			}
			return eventually(ctx, func(ctx context.Context) error {
				after, err := account(ctx)
				if err != nil {
					return err
				}
				return want(after.UID != before.UID, "it is the old one")
			})
		}},
		{"accounts: a token of the account lets it in", func(ctx context.Context) error { return letsIn(ctx, w.client, config, ns) }},
		{"accounts: a pod gets the account, and a volume with its token", func(ctx context.Context) error {
			p, err := w.client.CoreV1().Pods(ns).Create(ctx, pod("p", nil), metav1.CreateOptions{})
			if err != nil {
				return err
			}
			return want(p.Spec.ServiceAccountName == "default" && len(p.Spec.Volumes) == 1 && p.Spec.Volumes[0].Projected != nil, "account %q, volumes %v", p.Spec.ServiceAccountName, p.Spec.Volumes)
		}},
		{"root certificate: published in a new namespace", func(ctx context.Context) error {
			return eventually(ctx, func(ctx context.Context) error {
				m, err := roots.Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
				if err != nil {
					return err
				}
				return want(m.Data["ca.crt"] != "", "it has no ca.crt")
			})
		}},
		{"root certificate: put right when somebody changed it", func(ctx context.Context) error {
			if _, err := roots.Patch(ctx, "kube-root-ca.crt", types.MergePatchType, mergePatch(`{"data":{"ca.crt":"false"}}`), metav1.PatchOptions{}); err != nil {
				return err
			}
			return eventually(ctx, func(ctx context.Context) error {
				m, err := roots.Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
				if err != nil {
					return err
				}
				return want(m.Data["ca.crt"] != "false", "it is as they left it")
			})
		}},
	}
}

// letsIn asks for a token of the default account, and with it who one is.
func letsIn(ctx context.Context, client kubernetes.Interface, config *rest.Config, ns string) error {
	request, err := client.CoreV1().ServiceAccounts(ns).CreateToken(ctx, "default", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	config = rest.AnonymousClientConfig(config)
	config.BearerToken = request.Status.Token
	account, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	review, err := account.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	name := review.Status.UserInfo.Username
	return want(name == "system:serviceaccount:"+ns+":default", "it is %s", name)
}
