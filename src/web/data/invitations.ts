import type { Input } from '../../contract'
import type { Invitation } from '../../contract/invitations'
import type { InviteLink } from '../../contract/invite-links'
import { notify, notifyProblem } from '../parts/notices'
import { keys } from './cache/keys'
import { useShown } from './cache/optimistic'
import { loadAll } from './cache/pages'
import { cache, parley } from './cache/parley'
import { markStale, put } from './cache/records'

export async function invitePeople(input: Input<'invitations.create'>): Promise<Invitation[]> {
  const { data } = await parley.invitations.create(input)
  for (const { status, member } of data) if (status === 'invited') put('member', member!)
  return data
}

/** An invitation with the link to pass on by hand, where the server sends no mails. */
export interface LinkedInvitation extends Invitation {
  url?: string
}

/** Invites people, and makes each a link that signs them in. */
export async function invitePeopleWithLinks(input: Input<'invitations.create'>): Promise<LinkedInvitation[]> {
  const linked: LinkedInvitation[] = []
  for (const invitation of await invitePeople(input)) {
    if (invitation.status !== 'invited') linked.push(invitation)
    else {
      // Without its link, someone is still a member: an admin can make another one.
      const link = await parley.members.createSignInLink({ member_id: invitation.member!.id }).catch(() => undefined)
      linked.push({ ...invitation, url: link?.url })
    }
  }
  return linked
}

/** The invite links of the workspace, newest first. For admins only. */
export const useInviteLinks = () =>
  useShown<InviteLink[]>({
    queryKey: keys.inviteLinks,
    queryFn: () => loadAll(parley.inviteLinks.list({})),
    staleTime: 0,
  })

export async function createInviteLink(input: Input<'inviteLinks.create'>): Promise<InviteLink> {
  const link = await parley.inviteLinks.create(input)
  cache.setQueryData<InviteLink[]>(keys.inviteLinks, (links = []) => [
    link,
    ...links.filter(({ id }) => id !== link.id),
  ])
  return link
}

export async function changeInviteLink(
  before: InviteLink,
  settings: Omit<Input<'inviteLinks.update'>, 'id'>,
): Promise<InviteLink> {
  const link = await parley.inviteLinks.update({ id: before.id, ...settings })
  if (link.url !== before.url) notify('The invite link has a new address. The old one no longer works.')
  cache.setQueryData<InviteLink[]>(keys.inviteLinks, (links) =>
    links?.map((each) => (each.id === link.id ? link : each)),
  )
  return link
}

/** Takes it out of the list at once. */
export async function revokeInviteLink({ id }: InviteLink) {
  cache.setQueryData<InviteLink[]>(keys.inviteLinks, (links) => links?.filter((each) => each.id !== id))
  try {
    await parley.inviteLinks.delete({ id })
  } catch (error) {
    notifyProblem("Couldn't turn off the invite link.", error)
  }
  markStale(keys.inviteLinks)
}
