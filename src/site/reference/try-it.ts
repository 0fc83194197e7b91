import { type Html, html } from '../../domain/html'
import { type Documented, dereference, type Parameter } from '../document'
import type { ExampleInput } from './examples'

/** A form that sends the request from the browser, with the reader's own token. */
export function tryIt({ name, method, path, parameters, body, scope }: Documented, input: ExampleInput): Html {
  const id = (field: string) => `try-${name}-${field}`
  const types = Object.keys(body?.content ?? {})
  const isJson = types.includes('application/json')
  return html`<details class="try"><summary>Try it</summary>
<form data-method="${method}" data-path="${path}" novalidate>
${
  scope === 'public'
    ? undefined
    : html`<label for="${id('token')}">Access token</label>
<div class="token"><input id="${id('token')}" name="token" type="password" autocomplete="off" spellcheck="false" placeholder="parley_…"><button type="button" data-session>Use my session</button></div>
<p class="hint">It stays in this tab, and is sent to this server only.</p>`
}
${parameters.filter((each) => each.in !== 'header').map((each) => parameterInput(id(each.name), each, input))}
${
  isJson
    ? html`<label for="${id('body')}">Body</label><textarea id="${id('body')}" name="body" rows="${Math.min(12, JSON.stringify(input.body, null, 2).split('\n').length)}" spellcheck="false">${JSON.stringify(input.body, null, 2)}</textarea>`
    : undefined
}
${body && !isJson ? html`<label for="${id('file')}">File</label><input id="${id('file')}" name="file" type="file" accept="${types.join()}">` : undefined}
<button class="send" type="submit">Send request</button>
<div class="outcome" role="status"></div>
</form></details>`
}

function parameterInput(id: string, parameter: Parameter, input: ExampleInput): Html {
  const { name, required } = parameter
  const kind = parameter.in
  const choices = choicesOf(parameter)
  const label = html`<label for="${id}"><code>${name}</code>${required ? html` <span class="required">required</span>` : undefined}</label>`
  if (choices)
    return html`${label}<select id="${id}" name="${name}" data-kind="${kind}"><option value=""></option>${choices.map(
      (choice) => html`<option>${choice}</option>`,
    )}</select>`
  return html`${label}<input id="${id}" name="${name}" data-kind="${kind}" autocomplete="off" spellcheck="false" placeholder="${input.path[name] ?? input.query[name] ?? ''}">`
}

function choicesOf({ schema }: Parameter): string[] | undefined {
  const { type, enum: values, anyOf } = dereference(schema)
  if (type === 'boolean') return ['true', 'false']
  return (values ?? anyOf?.find((each) => each.enum)?.enum)?.map(String)
}
