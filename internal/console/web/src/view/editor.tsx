// The editor of YAML in the page. It is loaded when it is first shown.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Choices } from '../complete'
import type { Editor } from '../editor'
import { Problem } from './parts'

// Fault is what is wrong with the text, at a line of it, which counts from 0.
export interface Fault { line: number, text: string }

interface Props {
  // text is what it begins with.
  text: string
  label: string
  faults: Fault[]
  changed: (text: string) => void
  choices: (lines: string[]) => Choices | undefined
  // opened is told what shows a line.
  opened: (show: (line: number) => void) => void
}

export function YamlEditor(props: Props) {
  const host = useRef<HTMLDivElement>(null)
  const last = useRef(props) // what the editor calls is that of the last drawing
  last.current = props
  const [editor, setEditor] = useState<Editor>()
  const [problem, setProblem] = useState('')
  useEffect(() => {
    let opened: Editor | undefined
    let gone = false
    import('../editor').then(({ open }) => {
      if (gone) return
      opened = open({
        host: host.current!, text: last.current.text, label: props.label,
        changed: (text) => last.current.changed(text),
        choices: (lines) => last.current.choices(lines),
      })
      props.opened(opened.show)
      setEditor(opened)
    }, (error: Error) => setProblem(error.message))
    return () => { gone = true; opened?.close() }
  }, [])
  useEffect(() => editor?.mark(props.faults), [editor, props.faults])
  if (problem) return <Problem title="The editor can’t be loaded.">{problem}</Problem>
  return <div class="editor" ref={host} />
}
