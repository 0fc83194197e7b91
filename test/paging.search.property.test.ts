import { recordOf, type SearchInput } from './search/found'
import { time } from './server'
import { both, testEveryPage } from './walk'

interface Record {
  id: string
  /** Its place in the order of writing. */
  at: number
  title: string
  text: string
  isSecret: boolean
}

const isInTitle = ({ title }: Record) => title === 'Zebra'
const isFound = (record: Record) => isInTitle(record) || record.text === 'A zebra'

testEveryPage('every page of a search, while records are written, edited and deleted', async (cast, random) => {
  const { root, ada, general } = cast
  const secret = await root.channels.create({ name: 'secret', private: true })
  let isInside = false
  let written = 0
  const records: Record[] = []
  const words = () => ({ title: random.pick(['Zebra', 'Horse']), text: random.pick(['A zebra', 'A zebra', 'A horse']) })

  const changes = {
    async write() {
      const isSecret = random.below(3) === 0
      const { title, text } = words()
      const channel_id = isSecret ? secret.id : general.id
      const { id } = await root.posts.create({ channel_id, title, content_markdown: text })
      records.push({ id, at: written++, title, text, isSecret })
    },
    async comment() {
      const post = records.find(({ id }) => id.startsWith('post_'))
      if (!post) return
      const { text } = words()
      const { id } = await root.comments.create({ post_id: post.id, content_markdown: text })
      records.push({ id, at: written++, title: '', text, isSecret: post.isSecret })
    },
    async edit() {
      const record = random.pick(records.filter(({ id }) => id.startsWith('post_')))
      if (!record) return
      const { title, text } = Object.assign(record, words())
      await root.posts.update({ id: record.id, title, content_markdown: text })
    },
    async remove() {
      // Not the post with the comments: its comments would go, too.
      const [first] = records.filter(({ id }) => id.startsWith('post_'))
      const record = random.pick(records.filter((each) => each !== first))
      if (!record) return
      const noun = record.id.startsWith('post_') ? 'posts' : 'comments'
      await root[noun].delete({ id: record.id })
      records.splice(records.indexOf(record), 1)
    },
    async join() {
      if (isInside) await root.channels.removeMember({ channel_id: secret.id, member_id: ada.id })
      else await root.channels.addMember({ channel_id: secret.id, member_id: ada.id })
      isInside = !isInside
    },
  }

  const walks = (input: SearchInput, at: (record: Record) => number) =>
    both((direction) => ({
      async ask(after, limit) {
        const page = await ada.search.list({ q: 'zebra', ...input, direction, limit, after })
        return { ...page, data: page.data.map((result) => ({ id: recordOf(result).id })) }
      },
      entries: () =>
        records
          .filter((record) => isFound(record) && (isInside || !record.isSecret))
          .map((record) => ({ at: at(record), id: record.id })),
    }))

  return {
    change() {
      // Of records of the same millisecond, the place of a deleted one is not known.
      time.advance(1)
      return changes[random.pick(['write', 'write', 'write', 'comment', 'edit', 'remove', 'join'] as const)]()
    },
    walks: () => [
      ...walks({ sort: 'created_at' }, ({ at }) => at),
      // For edits of titles meanwhile, see search/walks.test.ts.
      ...walks({ sort: 'relevance' }, (record) => (isInTitle(record) ? 1_000_000 : 0) + record.at).map((each) => ({
        ...each,
        keepsPlaces: true,
      })),
    ],
  }
})
