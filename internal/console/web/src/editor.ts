// An editor of YAML, made of CodeMirror. It is a file of its own, read when somebody edits.
//
// It lives in a shadow tree: there CodeMirror adopts its style sheets, which the page's policy lets
// it do, while it forbids the style element that it would make in the document.
import { autocompletion, completionKeymap, type CompletionContext } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'

// Choices are what may stand in place of the last letters before the cursor.
interface Choices { letters: number, choices: { label: string, text: string, detail: string, info: string }[] }

export interface Config {
  host: HTMLElement
  text: string
  label: string
  changed: (text: string) => void
  // choices are for the end of the lines.
  choices: (lines: string[]) => Choices | undefined
}

export interface Editor {
  // mark shows faults at their lines, which count from 0.
  mark: (faults: { line: number, text: string }[]) => void
  // show goes to a line.
  show: (line: number) => void
  close: () => void
}

const look = EditorView.theme({
  '&': { color: 'var(--text)', background: 'var(--panel)', maxHeight: '70vh', fontSize: '13px', borderRadius: '10px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', padding: '10px 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--accent-ground)' },
  '.cm-selectionMatch': { background: 'var(--fresh)' },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'var(--hover)' },
  '.cm-gutters': { background: 'none', color: 'var(--muted)', border: '0' },
  '.cm-panels': { background: 'var(--ground)', color: 'var(--text)', borderColor: 'var(--line)' },
  '.cm-textfield, .cm-button': { background: 'var(--panel)', color: 'var(--text)', border: '1px solid var(--line)', borderRadius: '6px', font: 'inherit' },
  '.cm-tooltip': { background: 'var(--panel)', color: 'var(--text)', border: '1px solid var(--line)', borderRadius: '8px' },
  '.cm-tooltip.cm-completionInfo': { maxWidth: '46ch', padding: '8px 12px', font: '13px/1.5 var(--sans)', whiteSpace: 'pre-line', maxHeight: '40vh', overflow: 'auto' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '14em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 10px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { color: 'inherit', fontStyle: 'normal', opacity: '0.8' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-diagnostic': { font: '13px/1.5 var(--sans)', padding: '6px 12px', maxWidth: '70ch' },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--bad)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lint-marker-error': { content: 'none', width: '9px', height: '9px', margin: '6px 2px', borderRadius: '50%', background: 'var(--bad)' }, // its own is an image in an address
  '.cm-foldPlaceholder': { background: 'var(--hover)', color: 'var(--muted)', border: '0', padding: '0 6px' },
  '@media (max-width: 720px)': { '&': { fontSize: '16px' } },
})

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.comment, tags.meta, tags.separator, tags.punctuation], color: 'var(--muted)' },
  { tag: [tags.labelName, tags.typeName, tags.keyword], color: 'var(--literal)' },
])

export function open({ host, text, label, changed, choices }: Config): Editor {
  const complete = ({ state, pos, explicit }: CompletionContext) => {
    const before = state.sliceDoc(0, pos).split('\n')
    if (!explicit && !/[^\s-]$/.test(before.at(-1)!)) return null // nothing was typed yet
    const found = choices(before)
    if (!found) return null
    return {
      from: pos - found.letters,
      options: found.choices.map(({ label, text, detail, info }) => ({ label, apply: text, detail, info: info || undefined })),
      validFor: /^[\w$./-]*$/,
    }
  }
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), foldGutter(), lintGutter(), highlightActiveLine(), highlightActiveLineGutter(), drawSelection(),
        history(), bracketMatching(), search({ top: true }), highlightSelectionMatches(), indentUnit.of('  '),
        yaml(), syntaxHighlighting(colours), look, autocompletion({ override: [complete], icons: false }),
        // Tab is not among them: it leaves the editor.
        keymap.of([...completionKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap, ...defaultKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0', autocapitalize: 'off', spellcheck: 'false' }),
        EditorView.updateListener.of((update) => { if (update.docChanged) changed(update.state.doc.toString()) }),
      ],
    }),
  })
  return {
    mark: (faults) => {
      const { doc } = view.state
      view.dispatch(setDiagnostics(view.state, faults.map(({ line, text }) => {
        const at = doc.line(Math.min(line + 1, doc.lines))
        const from = at.from + /^[\s-]*/.exec(at.text)![0].length
        return { from: Math.min(from, at.to), to: at.to, severity: 'error' as const, message: text }
      })))
    },
    show: (line) => {
      const at = view.state.doc.line(Math.min(line + 1, view.state.doc.lines))
      view.dispatch({ selection: { anchor: at.from, head: at.to }, effects: EditorView.scrollIntoView(at.from, { y: 'center' }) })
      view.focus()
    },
    close: () => { view.destroy() },
  }
}
