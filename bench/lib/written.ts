import type { Client } from '../../test/client'

const POSTS = 20
const COMMENTS = 3
export const MANY_COMMENTS = 300
const LONG_TEXT = 20_000

/** Texts as people write them: a few paragraphs, a list, some code. */
const part = (number: number) => `We looked at **number ${number}** again, and at what it would cost to change it.

It is read by everyone who opens the page, so it has to be there at once. What is written is kept
until somebody answers, and _nobody_ has to wait for it; see [the notes](https://example.com/${number}).

- First what is there already
- Then what is missing, by \`name\`
- At last the rest

\`\`\`ts
const result = await load(${number})
if (!result) throw new Error('Nothing was found.')
\`\`\`
`

export const longText = Array.from({ length: 100 }, (_, number) => part(number))
  .join('\n')
  .slice(0, LONG_TEXT)

const comment = (number: number) =>
  number % 5 === 0
    ? part(number)
    : `Comment ${number}: I would **keep it**, since most of us know it by now. What do you think?`

/** Posts at the top of the feed that mention the reader, and one with many comments. Returns the id of one of them, and of the one with many. */
export async function createPosts(client: Client, reader: string) {
  const { data: channels } = await client.channels.list()
  const { id: channel_id } = channels.find(({ is_private }) => !is_private)!
  const create = async (number: number, comments: number) => {
    const content_markdown = `${part(number)}\n<@${reader}>, what do you think?`
    const { id } = await client.posts.create({ channel_id, title: `Question ${number}`, content_markdown })
    for (let at = 0; at < comments; at++) await client.comments.create({ post_id: id, content_markdown: comment(at) })
    return id
  }
  const longPost = await create(0, MANY_COMMENTS)
  let post = ''
  for (let number = 1; number <= POSTS; number++) post = await create(number, COMMENTS)
  return { post, longPost }
}
