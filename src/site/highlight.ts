import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import ini from 'highlight.js/lib/languages/ini'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import yaml from 'highlight.js/lib/languages/yaml'
import { Html, html } from '../domain/html'

const languages = { bash, ini, javascript, json, python, typescript, yaml }
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language)
highlighter.registerAliases('curl', { languageName: 'bash' })

/** A block of code with colours, if the language is known. It can be scrolled by keyboard. */
export const codeBlock = (text: string, language: string | undefined): Html =>
  html`<pre tabindex="0"><code>${colour(text, language)}</code></pre>`

function colour(text: string, language: string | undefined): Html | string {
  if (!language || !highlighter.getLanguage(language)) return text
  return new Html(highlighter.highlight(text, { language, ignoreIllegals: true }).value)
}
