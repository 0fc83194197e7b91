import { errors } from '../contract/errors'
import { getDocument, isObject, listOperations } from './document'
import { guides, headingsOf } from './guides'
import { nounTitle } from './reference/nouns'
import { EVENT_TYPES, guideUrl, objectUrl, operationUrl } from './urls'

/** What is shown, what it is, where it is, and further words by which it is found. */
type Entry = [title: string, kind: string, url: string, words: string]

/** Everything that can be searched for, as JSON. The browser loads it with the first search. */
export function buildSearchIndex(): string {
  const entries: Entry[] = [
    ...guides.map(({ title, slug, section }): Entry => [title, 'Guide', guideUrl(slug), section ?? '']),
    ...listOperations().map(
      (each): Entry => [
        ...([each.summary.replace(/\.$/, ''), `${each.method} ${each.path}`, operationUrl(each.name)] as const),
        `${each.name} ${nounTitle(each.noun)}`,
      ],
    ),
    ...guides.flatMap((guide) =>
      headingsOf(guide).map(({ text, anchor }): Entry => [text, guide.title, `${guideUrl(guide.slug)}#${anchor}`, '']),
    ),
    ...Object.keys(getDocument().components.schemas)
      .filter(isObject)
      .map((name): Entry => [name, 'Object', objectUrl(name), '']),
    ...Object.entries(errors).map(
      ([code, { status, title }]): Entry => [
        ...([code, `Error ${status}`, `${guideUrl('errors')}#${code}`, title] as const),
      ],
    ),
    ...Object.keys(getDocument().webhooks ?? {}).map((type): Entry => [type, 'Event', `${EVENT_TYPES}#${type}`, '']),
  ]
  return JSON.stringify(entries)
}
