import { fold } from '../../contract/fold'
import { seesPublic } from '../../domain/permissions'
import { searchApps } from '../../store/apps'
import { findVisibleAuthors } from '../../store/authors'
import { findVisibleChannelByNameOrId } from '../../store/channels'
import { listMembersWithText } from '../../store/member-search'
import type { ReadContext } from '../context'
import { unknownValue } from './unknown-value'

/** How many people a name can mean. */
const MAX_PEOPLE = 200

/** The channel that `in:` means, by its name or id. */
export async function findChannelNamed({ db, viewer }: ReadContext, name: string): Promise<number> {
  const channel = await findVisibleChannelByNameOrId(db, viewer, fold(name), name)
  if (channel) return channel.key
  throw unknownValue(`in:${name}`, 'There is no such channel that you can see. Write its name after `in:`.')
}

/** The people and apps that `from:` means: the caller, the one with this id, or those whose name is, or begins with, this. */
export async function findAuthorsNamed(context: ReadContext, name: string): Promise<number[]> {
  if (name.toLowerCase() === 'me') return [context.viewer.author.key]
  const [known] = await findVisibleAuthors(context.db, context.viewer, [name])
  if (known) return [known.key]
  const text = fold(name)
  const named = text === '' ? [] : await findPeople(context, text)
  const exact = named.filter((person) => person.name === text)
  const chosen = exact.length > 0 ? exact : named.filter((person) => hasWordStartingWith(person.name, text))
  if (chosen.length > 0) return chosen.slice(0, MAX_PEOPLE).map(({ key }) => key)
  throw unknownValue(
    `from:${name}`,
    'There is nobody of this name whom you can see. Write a name, its beginning, or `me` after `from:`.',
  )
}

const hasWordStartingWith = (name: string, text: string) => ` ${name}`.includes(` ${text}`)

interface Person {
  key: number
  /** Folded. */
  name: string
}

async function findPeople(context: ReadContext, text: string): Promise<Person[]> {
  const { db, viewer } = context
  const members = seesPublic(viewer)
    ? await findAmongAllMembers(context, text)
    : await listMembersWithText(db, viewer, text, MAX_PEOPLE)
  const { found } = await searchApps(db, viewer, text, { sort: 'created_at', scan: 'desc', limit: MAX_PEOPLE })
  return [
    ...members.map(({ author_key, search_text }) => ({
      key: author_key,
      name: search_text.slice(0, search_text.indexOf('\n')),
    })),
    ...found.rows.map(({ author_key, name }) => ({ key: author_key, name: fold(name) })),
  ]
}

async function findAmongAllMembers(context: ReadContext, text: string) {
  const { allMembers, indexes } = await context.findMembersByText(text)
  return Array.from(indexes, (index) => allMembers[index]!)
}
