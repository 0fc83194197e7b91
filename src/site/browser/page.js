// What the pages of the documentation can do beyond being read. Nothing here builds HTML from text.
const root = document.documentElement
const find = (selector, within = document) => within.querySelector(selector)
const findAll = (selector, within = document) => [...within.querySelectorAll(selector)]

/** An element with attributes and content. */
function create(tag, attributes = {}, ...content) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...content)
  return element
}

// --- The language of the samples, the same on every page ---

function showLanguage(language) {
  root.dataset.language = language
  for (const button of findAll('[data-show]')) button.ariaPressed = String(button.dataset.show === language)
}
showLanguage(root.dataset.language)

document.addEventListener('click', ({ target }) => {
  const language = target.closest('[data-show]')?.dataset.show
  if (!language) return
  // What was clicked stays where it is, though the samples above have other lengths.
  const before = target.getBoundingClientRect().top
  showLanguage(language)
  scrollBy({ top: target.getBoundingClientRect().top - before, behavior: 'instant' })
  try {
    localStorage.setItem('parley:docs-language', language)
  } catch {
    // Only for this page, then.
  }
})

// --- Copying code ---

for (const block of findAll('pre')) {
  const button = create('button', { type: 'button', class: 'copy' }, 'Copy')
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(find('code', block).textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
  const frame = block.parentElement.matches('.code') ? block.parentElement : create('div', { class: 'code' })
  if (frame !== block.parentElement) {
    block.replaceWith(frame)
    frame.append(block)
  }
  frame.append(button)
}

// --- Navigation: the part of the page that is being read ---

const navigation = find('#navigation')
const spied = findAll('[data-spy]').map((link) => ({ link, part: document.getElementById(link.hash.slice(1)) }))

function markPart() {
  const above = spied.filter(({ part }) => part && part.getBoundingClientRect().top < 160)
  const current = above.at(-1)?.link
  for (const { link } of spied) {
    if (link === current) link.setAttribute('aria-current', 'location')
    else link.removeAttribute('aria-current')
  }
}
if (spied.length > 0) {
  addEventListener('scroll', markPart, { passive: true })
  markPart()
}
navigation.addEventListener('click', ({ target }) => {
  if (target.closest('a') && navigation.matches(':popover-open')) navigation.hidePopover()
})
const currentLink = find('[aria-current="page"]', navigation)
if (currentLink) navigation.scrollTop = currentLink.offsetTop - navigation.clientHeight / 3

// --- Search ---

const search = find('#search')
const results = find('#results')
const MAX_RESULTS = 12
let index
let selected = 0

const fold = (text) => text.toLowerCase()

async function loadIndex() {
  index ??= fetch(search.dataset.index).then((response) => response.json())
  return index
}

/** The entries that contain all words; entries whose title begins with the query come first. */
function findEntries(entries, query) {
  const words = fold(query).split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .filter(({ rank }) => rank < 4)
    .sort((one, other) => one.rank - other.rank)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => entry)
}

function rankOf([title, kind, , more], words) {
  const name = fold(title)
  const all = fold(`${title} ${kind} ${more}`)
  if (!words.every((word) => all.includes(word))) return 4
  if (name.startsWith(words.join(' '))) return 0
  return words.every((word) => name.includes(word)) ? 1 : 2
}

async function showResults() {
  const query = search.value.trim()
  const entries = query === '' ? [] : findEntries(await loadIndex(), query)
  if (query !== search.value.trim()) return
  results.replaceChildren(
    ...entries.map(([title, kind, url], at) =>
      create(
        'li',
        { role: 'option', id: `result-${at}` },
        create('a', { href: url, tabindex: '-1' }, create('span', {}, title), create('small', {}, kind)),
      ),
    ),
  )
  if (query !== '' && entries.length === 0)
    results.append(
      create('li', { class: 'none', role: 'option', 'aria-disabled': 'true' }, `No results for “${query}”`),
    )
  results.hidden = query === ''
  search.ariaExpanded = String(query !== '')
  select(0)
}

function select(at) {
  const options = findAll('[role=option]:not(.none)', results)
  selected = options.length === 0 ? 0 : (at + options.length) % options.length
  for (const [place, option] of options.entries()) option.setAttribute('aria-selected', String(place === selected))
  options[selected]?.scrollIntoView({ block: 'nearest' })
  if (options.length > 0) search.setAttribute('aria-activedescendant', options[selected].id)
  else search.removeAttribute('aria-activedescendant')
}

function closeResults() {
  results.hidden = true
  search.ariaExpanded = 'false'
}

search.addEventListener('focus', () => void loadIndex())
search.addEventListener('input', showResults)
search.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') select(selected + 1)
  else if (event.key === 'ArrowUp') select(selected - 1)
  else if (event.key === 'Enter') findAll('a', results)[selected]?.click()
  else if (event.key === 'Escape') closeResults()
  else return
  event.preventDefault()
})
results.addEventListener('click', closeResults)
document.addEventListener('click', ({ target }) => {
  if (!target.closest('.search')) closeResults()
})
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea, select')
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.key !== '/') return
  event.preventDefault()
  search.focus()
})

// --- Try it. The token stays in this tab, and goes to this server only ---

const TOKEN = 'parley:docs-token'
const tokenInputs = findAll('input[name=token]')

function setToken(token, except) {
  for (const input of tokenInputs) if (input !== except) input.value = token
  try {
    sessionStorage.setItem(TOKEN, token)
  } catch {
    // Only on this page, then.
  }
}
try {
  setToken(sessionStorage.getItem(TOKEN) ?? '')
} catch {
  // There is none.
}
for (const input of tokenInputs) input.addEventListener('input', () => setToken(input.value.trim(), input))

for (const button of findAll('[data-session]'))
  button.addEventListener('click', async () => {
    const outcome = find('.outcome', button.form)
    const response = await fetch('/session/token', { method: 'POST', headers: { 'Content-Type': 'application/json' } })
    if (response.ok) {
      setToken((await response.json()).token)
      outcome.replaceChildren(create('p', {}, 'This token works for ten minutes, and may do what you may.'))
    } else
      outcome.replaceChildren(
        create('p', {}, 'You are not signed in. ', create('a', { href: '/sign-in' }, 'Sign in'), ', then come back.'),
      )
  })

for (const form of findAll('form[data-method]'))
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const outcome = find('.outcome', form)
    const button = find('.send', form)
    button.disabled = true
    try {
      outcome.replaceChildren(...(await send(form)))
    } catch (error) {
      outcome.replaceChildren(create('p', { class: 'failed' }, String(error.message ?? error)))
    }
    button.disabled = false
  })

/** Sends the request of a form, and returns what to show. */
async function send(form) {
  const { url, missing } = toUrl(form)
  if (missing) {
    missing.focus()
    return [create('p', { class: 'failed' }, `Enter ${missing.name}.`)]
  }
  const { token, body, file } = form.elements
  const headers = token?.value ? { Authorization: `Bearer ${token.value.trim()}` } : {}
  const init = { method: form.dataset.method, headers }
  if (body) Object.assign(init, { body: body.value, headers: { ...headers, 'Content-Type': 'application/json' } })
  if (file?.files[0])
    Object.assign(init, { body: file.files[0], headers: { ...headers, 'Content-Type': file.files[0].type } })
  const started = performance.now()
  const response = await fetch(url, init)
  const text = await response.text()
  const milliseconds = Math.round(performance.now() - started)
  const status = create(
    'strong',
    { class: response.ok ? 'done' : 'failed' },
    `${response.status} ${response.statusText}`,
  )
  const line = create(
    'p',
    { class: 'status' },
    status,
    ` · ${milliseconds} ms · ${response.headers.get('x-request-id') ?? ''}`,
  )
  const request = create('p', { class: 'sent' }, create('code', {}, `${init.method} ${url}`))
  return text === ''
    ? [request, line]
    : [request, line, create('pre', { tabindex: '0' }, create('code', {}, format(text)))]
}

function toUrl(form) {
  let path = form.dataset.path
  const query = new URLSearchParams()
  for (const input of findAll('[data-kind]', form)) {
    const value = input.value.trim()
    if (input.dataset.kind === 'path') {
      if (value === '') return { missing: input }
      path = path.replace(`{${input.name}}`, encodeURIComponent(value))
    } else if (value !== '') query.set(input.name, value)
  }
  return { url: query.size > 0 ? `${path}?${query}` : path }
}

function format(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
