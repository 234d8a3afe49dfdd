import './style.css'
import { render } from 'preact'
import { App } from './view/app'

render(<App />, document.body)
