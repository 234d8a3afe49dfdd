module github.com/typeplane/typeplane/test/console

go 1.26.0

toolchain go1.26.10

replace github.com/typeplane/typeplane => ../..

replace github.com/typeplane/typeplane/runtime => ../../runtime

require (
	github.com/chromedp/cdproto v0.159.2
	github.com/chromedp/chromedp v0.23.0
	github.com/typeplane/typeplane v0.0.0-00010101000000-000000000000
)

require github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
