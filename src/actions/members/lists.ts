import { fold } from '../../contract/fold'
import { roles as allRoles } from '../../contract/members'
import { seesPublic } from '../../domain/permissions'
import { searchVisibleMembers } from '../../store/member-search'
import { memberRanges, readMembersPage } from '../../store/members'
import { findCounts, memberCounter } from '../../store/workspaces'
import { listOf } from '../list'
import { searchMembers } from './search'

export const list = listOf('members.list', async (context, input, request) => {
  const { db, viewer, links, volatile } = context
  if (request.sort === 'last_seen_at') volatile()
  const text = input.q === undefined ? '' : fold(input.q)
  const roles = allRoles.filter((role) => input.roles?.includes(role) ?? true)

  if (!seesPublic(viewer)) return searchVisibleMembers(db, viewer, links.base, { roles, text }, request)
  if (text !== '') return searchMembers(context, text, roles, request)
  const counts = await findCounts(db, viewer.workspace.key)
  return {
    total: roles.reduce((sum, role) => sum + counts[memberCounter[role]], 0),
    page: await readMembersPage(db, links.base, viewer, memberRanges(viewer, roles, request.sort), request),
  }
})
