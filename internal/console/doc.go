// Package console shows people in a browser what an API server keeps: a page, and a way for its
// requests to the server.
//
// Serve answers on loopback. Its address holds a token that opens the page once; from then on a
// cookie does. What the page asks for goes to the server with the rights of a kubeconfig. Start
// reading at door.go, which says who gets in. Served is the same page as a part of a server, behind
// a login. The page is in web; make console builds it into the folder page. It uses nothing but the
// public API, so it works with any server of Kubernetes' kind.
package console
