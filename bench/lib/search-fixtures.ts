import { createClient } from '../../test/client'

/** Who searches, and where: the same in every workspace. */
export interface SearchFixtures {
  /** Channels with many posts. */
  channels: string[]
  /** Apps with many posts. */
  authors: string[]
  /** Of a member who is in many private channels. */
  memberToken: string
  /** Of a guest in one large channel. */
  guestToken: string
}

const PRIVATE_CHANNELS = 200
const BUSY_CHANNELS = 8
const POSTS = 40

/** A word that is in one post alone. */
export const rareWord = (number: number) => `quokka${number.toString(36)}zy`

/** Common words in an order that no other post has. */
export const rarePhrase = (number: number) => {
  const words = ['the', 'is', 'it', 'to', 'and', 'of']
  const at = (place: number) => words[(number * (place + 1) + place) % words.length]!
  return `${at(0)} ${at(1)} ${at(2)} the ${at(3)}`
}

/** Every two neighbours in it are in as many posts as there are with this text. */
export const HAN_TEXT = '来週火曜日午後東京本社会議室開催予定資料事前共有参加希望者名簿記入願致候補日程調整'

/** Adds what the seeded text lacks: rare words, a script without spaces, and people with few or many places. */
export async function createSearchFixtures(
  port: number,
  token: string,
  createToken: (...options: string[]) => string,
): Promise<SearchFixtures> {
  const connect = (each: string) => createClient({ baseUrl: `http://127.0.0.1:${port}`, token: each, retries: 10 })
  const admin = connect(token)
  // Not the app that the other parts use: the channels would be its own.
  const client = connect(createToken('--app', 'Search bench', '--scopes', 'admin'))
  const { data: apps } = await admin.apps.list()
  const { data: all } = await admin.channels.list()
  const busiest = all.sort((a, b) => b.posts_count - a.posts_count).slice(0, BUSY_CHANNELS)

  const person = (role: 'member' | 'guest') =>
    client.members.create({ email: `search-${role}@example.com`, display_name: `Search ${role}`, role })
  const [member, guest] = [await person('member'), await person('guest')]
  await client.channels.addMember({ channel_id: busiest[0]!.id, member_id: guest.id })
  for (let number = 0; number < PRIVATE_CHANNELS; number++) {
    const channel = await client.channels.create({ name: `search-${number}`, private: true })
    await client.channels.addMember({ channel_id: channel.id, member_id: member.id })
    await client.posts.create({ channel_id: channel.id, content_markdown: 'The list is here, and it is short.' })
  }
  for (let number = 0; number < POSTS; number++) {
    const content_markdown = `${rareWord(number)}, or ${rarePhrase(number)}.\n\n${HAN_TEXT}`
    await client.posts.create({ channel_id: busiest[0]!.id, title: 'Odd words', content_markdown })
  }
  return {
    channels: busiest.map(({ id }) => id),
    authors: apps.filter(({ name }) => !name.includes('ench')).map(({ id }) => id),
    memberToken: createToken('--member', 'search-member@example.com'),
    guestToken: createToken('--member', 'search-guest@example.com'),
  }
}
