// What differs between two texts, line by line.
import { diffLines } from 'diff'
import { useMemo } from 'preact/hooks'

const around = 3 // lines of context

export function Diff({ was, becomes }: { was: string, becomes: string }) {
  const parts = useMemo(() => diffLines(was, becomes), [was, becomes])
  if (parts.every((part) => !part.added && !part.removed)) return <p class="empty">Nothing would change.</p>
  return (
    <ol class="diff">
      {parts.flatMap((part, index) => {
        const lines = part.value.replace(/\n$/, '').split('\n')
        if (part.added || part.removed) return lines.map((line, n) => <DiffLine key={`${index}.${n}`} mark={part.added ? '+' : '-'} line={line} />)
        const head = index === 0 ? 0 : around
        const tail = index === parts.length - 1 ? 0 : around
        if (lines.length <= head + tail + 1) return lines.map((line, n) => <DiffLine key={`${index}.${n}`} mark=" " line={line} />)
        return [
          ...lines.slice(0, head).map((line, n) => <DiffLine key={`${index}.${n}`} mark=" " line={line} />),
          <li key={`${index}.skip`} class="skipped">{lines.length - head - tail} lines as they are</li>,
          ...lines.slice(lines.length - tail).map((line, n) => <DiffLine key={`${index}.t${n}`} mark=" " line={line} />),
        ]
      })}
    </ol>
  )
}

function DiffLine({ mark, line }: { mark: '+' | '-' | ' ', line: string }) {
  const [name, word] = mark === '+' ? ['added', 'added: '] : mark === '-' ? ['removed', 'removed: '] : ['', '']
  return <li class={name}><span aria-hidden="true">{mark}</span>{word && <span class="heard">{word}</span>}{line}</li>
}
