import Type from 'typebox'
import { contract } from '../../contract'
import { roles } from '../../contract/members'
import { lean } from '../records'
import { describePage, line, quoteName } from '../text'
import { describe, PAGE_SIZE, pageFields, pageOf, paging, recordsOf, tool } from '../tool'

const { q } = contract.members.list.query.properties

export const findPeople = tool({
  name: 'find_people',
  title: 'Find people',
  description: 'Find members by part of their name or e-mail address.',
  input: {
    q: describe(q),
    roles: Type.Optional(
      Type.Array(Type.Unsafe<(typeof roles)[number]>({ type: 'string', enum: [...roles] }), { maxItems: roles.length }),
    ),
    ...paging,
  },
  output: { members: recordsOf('role'), ...pageFields },
  async run(api, { limit = PAGE_SIZE, ...query }) {
    const page = await api.call('members.list', { limit, ...query })
    const lines = page.data.map(
      ({ id, role, is_deactivated, user }) =>
        `- ${quoteName(user.display_name)} <${line(user.email)}> (${id}), ${role}${is_deactivated ? ', deactivated' : ''}`,
    )
    return {
      text: [describePage(page, lines.length, 'member'), lines.join('\n')].join('\n\n'),
      data: { members: lean(page.data), ...pageOf(page) },
    }
  },
})
