import type { Input } from '../../contract'
import { notFound, Problem } from '../../contract/errors'
import { findMember } from '../../store/members'
import type { WriteContext } from '../context'
import { queueMail, requireMail } from '../mails'

export async function sendInvitation(context: WriteContext, { member_id }: Input<'members.sendInvitation'>) {
  requireMail(context)
  const member = await findMember(context.db, context.viewer, member_id)
  if (!member) throw notFound('member')
  if (member.is_deactivated) throw new Problem('member_deactivated', `${member.name} is deactivated.`)

  await queueMail(context, 'invitation', member.author_key)
  return undefined
}
