import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'

// The menu is that of docs/README.md: the command site writes it beside the pages.
const menu = JSON.parse(readFileSync(new URL('../menu.json', import.meta.url), 'utf8'))

// anchorOf is the anchor that GitHub gives a heading, so that a link is good on both sides.
const anchorOf = (title) => title.trim().toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')

export default defineConfig({
  title: 'Typeplane',
  description: 'Go types in, a Kubernetes-style API server out.',
  lang: 'en',
  base: process.env.SITE_BASE || '/',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'cache',
  // An icon in the page itself: the site's address does not matter, and nothing is loaded.
  head: [['link', { rel: 'icon', href: 'data:image/svg+xml,' + encodeURIComponent(readFileSync(new URL('../logo.svg', import.meta.url), 'utf8')) }]],
  markdown: {
    anchor: { slugify: anchorOf },
    // Braces at the end of a paragraph are text here.
    attrs: { disable: true },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    notFound: { linkText: 'Take me home', linkLabel: 'Take me home' },
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Tasks', link: '/documents' },
      { text: 'Reference', link: '/tags' },
      { text: 'Decisions', link: '/design/' },
      { text: 'Source', link: 'https://github.com/typeplane/typeplane' },
    ],
    sidebar: menu,
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    editLink: {
      text: 'The source of this page',
      pattern: ({ frontmatter }) => 'https://github.com/typeplane/typeplane/blob/main/' + frontmatter.source,
    },
    externalLinkIcon: true,
  },
})
