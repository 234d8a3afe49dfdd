package main

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/quota/v1/generic"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
	"k8s.io/kubernetes/pkg/controller/replication"
	"k8s.io/kubernetes/pkg/controller/resourcequota"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
	"k8s.io/kubernetes/pkg/controller/volume/pvcprotection"
	"k8s.io/kubernetes/pkg/controller/volume/pvprotection"
	quota "k8s.io/kubernetes/pkg/quota/v1/install"
	resourceclient "k8s.io/metrics/pkg/client/clientset/versioned/typed/metrics/v1beta1"
	custommetrics "k8s.io/metrics/pkg/client/custom_metrics"
	externalmetrics "k8s.io/metrics/pkg/client/external_metrics"

	v1 "k8s.io/api/core/v1"
)

// How often controllers look at what no event tells. kube-controller-manager's own values are up to
// 5 minutes.
const (
	resync     = 10 * time.Second
	discovery  = 5 * time.Second
	autoscale  = time.Second
	collectors = 4
	workers    = 2
)

// clients is what controllers are made of.
type clients struct {
	ctx      context.Context
	config   *rest.Config
	typed    kubernetes.Interface
	metadata metadata.Interface
	mapper   *restmapper.DeferredDiscoveryRESTMapper
	shared   informers.SharedInformerFactory
	both     informerfactory.InformerFactory
	started  chan struct{}
}

// startControllers runs them until ctx ends.
func startControllers(ctx context.Context, config *rest.Config) error {
	c := &clients{ctx: ctx, config: config, started: make(chan struct{})}
	var err error
	if c.typed, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	if c.metadata, err = metadata.NewForConfig(config); err != nil {
		return err
	}
	c.mapper = restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(c.typed.Discovery()))
	c.shared = informers.NewSharedInformerFactory(c.typed, 0)
	byMetadata := metadatainformer.NewSharedInformerFactory(c.metadata, 0)
	c.both = informerfactory.NewInformerFactory(c.shared, byMetadata)
	for _, start := range []func(*clients) error{replicate, keepAccounts, publishRoot, emptyNamespaces, collect, countQuotas, autoscalePods, protectClaims, protectVolumes} {
		if err := start(c); err != nil {
			return err
		}
	}
	c.both.Start(ctx.Done())
	byMetadata.Start(ctx.Done())
	close(c.started)
	return nil
}

func replicate(c *clients) error {
	manager := replication.NewReplicationManager(c.ctx, c.shared.Core().V1().Pods(), c.shared.Core().V1().ReplicationControllers(), c.typed, replication.BurstReplicas)
	go manager.Run(c.ctx, workers)
	return nil
}

func keepAccounts(c *clients) error {
	accounts, err := serviceaccount.NewServiceAccountsController(klog.FromContext(c.ctx), c.shared.Core().V1().ServiceAccounts(), c.shared.Core().V1().Namespaces(), c.typed, serviceaccount.DefaultServiceAccountsControllerOptions())
	if err != nil {
		return err
	}
	go accounts.Run(c.ctx, 1)
	return nil
}

func publishRoot(c *clients) error {
	if err := rest.LoadTLSFiles(c.config); err != nil {
		return err
	}
	publisher, err := rootcacertpublisher.NewPublisher(c.shared.Core().V1().ConfigMaps(), c.shared.Core().V1().Namespaces(), c.typed, c.config.CAData)
	if err != nil {
		return err
	}
	go publisher.Run(c.ctx, 1)
	return nil
}

func emptyNamespaces(c *clients) error {
	namespaces := namespace.NewNamespaceController(c.ctx, c.typed, c.metadata, c.typed.Discovery().ServerPreferredNamespacedResources, c.shared.Core().V1().Namespaces(), resync, v1.FinalizerKubernetes)
	go namespaces.Run(c.ctx, workers)
	return nil
}

func collect(c *clients) error {
	ignored := map[schema.GroupResource]struct{}{{Resource: "events"}: {}, {Group: "events.k8s.io", Resource: "events"}: {}}
	collector, err := garbagecollector.NewGarbageCollector(c.ctx, c.typed, c.metadata, c.mapper, ignored, c.both, c.started)
	if err != nil {
		return err
	}
	go collector.Run(c.ctx, collectors, patience)
	go collector.Sync(c.ctx, c.typed.Discovery(), discovery)
	return nil
}

func countQuotas(c *clients) error {
	configuration, err := quota.NewQuotaConfigurationForControllers(generic.ListerFuncForResourceFunc(c.shared.ForResource), c.shared)
	if err != nil {
		return err
	}
	discover := c.typed.Discovery().ServerPreferredNamespacedResources
	quotas, err := resourcequota.NewController(c.ctx, &resourcequota.ControllerOptions{
		QuotaClient:               c.typed.CoreV1(),
		ResourceQuotaInformer:     c.shared.Core().V1().ResourceQuotas(),
		ResyncPeriod:              controller.StaticResyncPeriodFunc(resync),
		InformerFactory:           c.both,
		ReplenishmentResyncPeriod: controller.StaticResyncPeriodFunc(resync),
		DiscoveryFunc:             discover,
		IgnoredResourcesFunc:      configuration.IgnoredResources,
		InformersStarted:          c.started,
		Registry:                  generic.NewRegistry(configuration.Evaluators()),
		UpdateFilter:              quota.DefaultUpdateFilter(),
	})
	if err != nil {
		return err
	}
	go quotas.Run(c.ctx, workers)
	go quotas.Sync(c.ctx, discover, discovery)
	return nil
}

// autoscalePods has the clients that a cluster's has, of metrics too: nobody serves these, and the
// autoscalers have to say so.
func autoscalePods(c *clients) error {
	scales, err := scale.NewForConfig(c.config, c.mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(c.typed.Discovery()))
	if err != nil {
		return err
	}
	resources, err := resourceclient.NewForConfig(c.config)
	if err != nil {
		return err
	}
	external, err := externalmetrics.NewForConfig(c.config)
	if err != nil {
		return err
	}
	custom := custommetrics.NewForConfig(c.config, c.mapper, custommetrics.NewAvailableAPIsGetter(c.typed.Discovery()))
	autoscalers := podautoscaler.NewHorizontalController(c.ctx, c.typed.CoreV1(), scales, c.typed.AutoscalingV2(), c.mapper,
		metrics.NewRESTMetricsClient(resources, custom, external),
		c.shared.Autoscaling().V2().HorizontalPodAutoscalers(), c.shared.Core().V1().Pods(), autoscale, autoscale, 0.1, autoscale, autoscale)
	go autoscalers.Run(c.ctx, workers)
	return nil
}

func protectClaims(c *clients) error {
	claims, err := pvcprotection.NewPVCProtectionController(klog.FromContext(c.ctx), c.shared.Core().V1().PersistentVolumeClaims(), c.shared.Core().V1().Pods(), c.typed)
	if err != nil {
		return err
	}
	go claims.Run(c.ctx, 1)
	return nil
}

func protectVolumes(c *clients) error {
	volumes, err := pvprotection.NewPVProtectionController(klog.FromContext(c.ctx), c.shared.Core().V1().PersistentVolumes(), c.typed)
	if err != nil {
		return err
	}
	go volumes.Run(c.ctx, 1)
	return nil
}
