import Type from 'typebox'
import { contract } from '../../contract'
import { kindOf } from '../../contract/browser/kinds'
import { notFound } from '../../contract/errors'
import { roles } from '../../contract/members'
import type { AgentApi } from '../agent-api'
import { count, describePage, lean, line, quote, quoteName } from '../text'
import { describe, PAGE_SIZE, pageFields, pageOf, paging, recordsOf, tool } from '../tool'

export const listChannels = tool({
  name: 'list_channels',
  title: 'List channels',
  description: 'List the channels you may see, by name.',
  input: {
    joined: describe(contract.channels.list.query.properties.joined, 'Only those you are in, or are not in.'),
    ...paging,
  },
  output: { channels: recordsOf('name', 'description'), ...pageFields },
  async run(api, { limit = PAGE_SIZE, ...query }) {
    const page = await api.call('channels.list', { sort: 'name', limit, ...query })
    const lines = page.data.map(
      ({ id, name, description, is_private, posts_count }) =>
        `- #${quoteName(name)} (${id})${is_private ? ', private' : ''}, ${count(posts_count, 'post')}${description ? `\n${quote(description)}` : ''}`,
    )
    return {
      text: [describePage(page, lines.length, 'channel'), lines.join('\n')].join('\n\n'),
      data: { channels: lean(page.data), ...pageOf(page) },
    }
  },
})

export const Channel = Type.String({ description: 'Its name or id.' })

/** A channel by its id, or by its name with or without `#`. */
export async function findChannel(api: AgentApi, nameOrId: string): Promise<{ id: string }> {
  if (kindOf(nameOrId) === 'channel') return { id: nameOrId }
  const name = nameOrId.trim().replace(/^#/, '')
  const { data } = name ? await api.call('channels.list', { name }) : { data: [] }
  const found = data.find((channel) => ignoreCase(channel.name) === ignoreCase(name))
  if (!found) throw notFound('channel')
  return found
}

/** The API finds names without their accents, too. A post must not end up in a channel that is only called alike. */
const ignoreCase = (name: string) => name.normalize('NFKC').toLowerCase()

const { q } = contract.members.list.query.properties
const MAX_GROUP_NAME = 40

export const findPeople = tool({
  name: 'find_people',
  title: 'Find people',
  description: 'Find members and groups by part of a name or e-mail address.',
  input: {
    q: describe(q),
    roles: Type.Optional(
      Type.Array(Type.Unsafe<(typeof roles)[number]>({ type: 'string', enum: [...roles] }), { maxItems: roles.length }),
    ),
    ...paging,
  },
  output: { members: recordsOf('role'), groups: recordsOf('name'), ...pageFields },
  async run(api, { limit = PAGE_SIZE, ...query }) {
    const page = await api.call('members.list', { limit, ...query })
    // They are few: those that match come with the first page.
    const isAboutGroups = !query.after && !query.roles
    const groups = isAboutGroups ? (await api.call('groups.list', { q: query.q?.slice(0, MAX_GROUP_NAME) })).data : []
    const groupLines = groups.map(
      ({ id, name, description, members_count }) =>
        `- @${quoteName(name)} (${id}), ${count(members_count, 'member')}${description ? `\n${quote(description)}` : ''}`,
    )
    const lines = page.data.map(
      ({ id, role, is_deactivated, user }) =>
        `- ${quoteName(user.display_name)} <${line(user.email)}> (${id}), ${role}${is_deactivated ? ', deactivated' : ''}`,
    )
    return {
      text: [
        ...[describePage(page, lines.length, 'member'), lines.join('\n')],
        ...(groups.length > 0 ? ['Groups:', groupLines.join('\n')] : []),
      ].join('\n\n'),
      data: { members: lean(page.data), groups: lean(groups), ...pageOf(page) },
    }
  },
})
