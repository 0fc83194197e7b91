import type { InboxReason } from '../../src/contract/inbox'
import type { Person, World } from '../world'

export const mention = ({ id }: { id: string }) => `<@${id}>`

/** What someone's inbox says: reason, title, actor and excerpt of each entry, the latest first. */
export async function inboxOf(world: World, who: Person): Promise<[InboxReason, string, string | undefined, string][]> {
  await world.fillInboxes()
  const { data } = await who.inbox.list()
  return data.map(({ reason, subject, actor, excerpt }) => [reason, subject.title, actor?.name, excerpt])
}

export const publish = (who: Person, channel: { id: string }, title: string, content_markdown = 'What do you think?') =>
  who.posts.create({ channel_id: channel.id, title, content_markdown })
