import { useQuery } from '@tanstack/react-query'
import { toApiError } from '../../client'
import { mayPass } from '../../client/send'
import type { Author } from '../../contract/shapes'
import { keys } from './cache/keys'
import { cache, parley } from './cache/parley'
import { authorizedFetch } from './cache/session'
import { mapOutsideCode } from './code-ranges'
import { findGroups } from './groups'
import { getMe } from './me'
import {
  findAuthors,
  forgetGroups,
  isGroupKnown,
  isNameKnown,
  MAX_RESULTS,
  rememberMentions,
  rememberName,
  startsWithName,
  toEditorText,
  toMarkdown,
} from './mentions'

/** The Markdown of a text in the editor, as it is sent. */
async function toFinalMarkdown(text: string): Promise<string> {
  await lookUpMentions(text)
  return toMarkdown(text).trim()
}

/** The same without a connection, with names that are only looked up when it is sent. */
export const toWaitingMarkdown = (text: string): Promise<string> =>
  toFinalMarkdown(text).catch((error) => {
    if (!mayPass(error)) throw error
    return toMarkdown(text).trim()
  })

/** Looks up the names in a text that waited for a connection. */
export const findNames = async <I extends { content_markdown: string }>(input: I): Promise<I> => ({
  ...input,
  content_markdown: await toFinalMarkdown(input.content_markdown),
})

/** A text in the editor, rendered by the server. */
export const usePreview = (text: string) =>
  useQuery({
    queryKey: ['preview', text],
    queryFn: async () => (await parley.markdown.render({ content_markdown: await toFinalMarkdown(text) })).content,
    enabled: text.trim() !== '',
    gcTime: 0,
  })

/** The Markdown of a post, comment or message, by its path in `sources`. */
export const useSource = (path: string, html: string) =>
  useQuery({
    queryKey: ['source', path],
    queryFn: async () => {
      const markdown = await getSource(path)
      rememberMentions(markdown, html)
      return markdown
    },
    staleTime: 0,
    gcTime: 0,
    // The text must not change while it is being edited.
    refetchOnMount: 'always',
    refetchOnReconnect: false,
  })

export async function getSource(path: string): Promise<string> {
  const response = await authorizedFetch(path, { headers: { Accept: 'text/markdown' } })
  if (response.ok) return response.text()
  throw await toApiError(response)
}

/** Words of a name: a longer name is found by its start. */
const MAX_WORDS = 3
/** More are not looked up. */
const MAX_LOOKED_UP = 20
const TYPED = /(?<![\p{L}\p{N}_<])@(?=[\p{L}\p{N}])/gu

/**
 * Looks up who is mentioned by a full name that was typed by hand, so that `toMarkdown` knows them; and groups in any case, whose
 * names may have changed hands.
 */
export async function lookUpMentions(text: string): Promise<void> {
  const typed = listTyped(text).slice(0, MAX_LOOKED_UP)
  for (const found of await Promise.all(typed.map(findMentioned))) if (found) rememberName(found.id, found.name)
}

/** The texts after each `@` that is not yet known to mention a person or an app. */
function listTyped(text: string): string[] {
  const found = new Set<string>()
  mapOutsideCode(text, (part) => {
    for (const { index } of part.matchAll(TYPED)) {
      const line = part.slice(index + 1).split('\n', 1)[0]!
      if (!isNameKnown(line)) found.add(line.slice(0, 200))
    }
    return part
  })
  return [...found]
}

type Named = Pick<Author, 'id' | 'name'>

/** The one whose full name the text starts with; undefined if there is nobody, or more than one of that name. */
async function findMentioned(text: string): Promise<Named | undefined> {
  const words = text.split(' ').slice(0, MAX_WORDS)
  const queries = words.map((_, at) =>
    words
      .slice(0, at + 1)
      .join(' ')
      .replace(/[^\p{L}\p{N}]+$/u, ''),
  )
  const [pages, groups] = await Promise.all([
    isGroupKnown(text) ? [] : Promise.all([...new Set(queries)].map(findNamedAuthors)),
    findNamedGroups(queries[0]!),
  ])
  // In a full page there may be more of the same name than it shows.
  const found: Named[] = pages.filter((page) => page.length < MAX_RESULTS).flat()
  if (groups.length < MAX_GROUPS_FOUND) forgetGroups(text, groups)
  const named = [...found, ...groups].filter(({ name }) => startsWithName(text, name))
  const longest = named.reduce((name, author) => (author.name.length > name.length ? author.name : name), '')
  const ids = new Set(named.filter(({ name }) => name === longest).map(({ id }) => id))
  return ids.size === 1 ? named.find(({ name }) => name === longest) : undefined
}

const findNamedAuthors = (query: string) =>
  cache.fetchQuery({
    queryKey: ['mentionable', query],
    queryFn: () => findAuthors(query),
    staleTime: 60_000,
    retry: false,
    // Without a connection, it fails at once.
    networkMode: 'always',
  })

/** In a full page of groups, the one that is meant may be missing. */
const MAX_GROUPS_FOUND = 50

/** The names of groups have no spaces. */
const findNamedGroups = async (query: string): Promise<Named[]> =>
  query === '' || getMe().role === 'guest'
    ? []
    : cache.fetchQuery({
        queryKey: [...keys.groups, 'mentionable', query],
        queryFn: () => findGroups(query),
        staleTime: 60_000,
        retry: false,
        networkMode: 'always',
      })

type Render = (markdown: string) => string | undefined

let renderFormatted: Render | undefined

/** Once the editor of formatted text is loaded, it renders what the server has not yet. */
export const renderWith = (render: Render) => {
  renderFormatted = render
}

/** Markdown as it will about look, or as text, until the server has rendered it. */
export const textToHtml = (markdown: string): string => renderFormatted?.(markdown) ?? asText(markdown)

const asText = (markdown: string) =>
  toEditorText(markdown)
    .replace(/<@(channel|here)>/g, '@$1')
    .replace(/[&<>]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[letter]!)
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('')
