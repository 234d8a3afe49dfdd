// The theme without its fonts: those of the reader's system are there already.
import theme from 'vitepress/theme-without-fonts'
import './style.css'

export default theme
