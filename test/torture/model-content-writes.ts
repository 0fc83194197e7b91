import type { Random } from '../random-writes'
import * as m from './model'
import { happen } from './model-attention'
import { draftsOf, type Reacted, reactionsTo, savedBy } from './model-content'
import { idOf, type Plan, type Plans, pickMostly } from './model-picks'

const EMOJI = ['👍', '🎉', '❤️']
/** As in the contract. */
const MAX_OTHER_VERSIONS = 5

interface Reactable<T extends Reacted> {
  records(model: m.Model): readonly T[]
  sees(who: m.Person, record: T): boolean
}

const ofPosts: Reactable<m.Post> = {
  records: ({ posts }) => posts,
  sees: m.seesPost,
}
const ofComments: Reactable<m.Comment> = {
  records: ({ comments }) => comments,
  sees: (who, comment) => !comment.isEmptied && m.seesComment(who, comment),
}
const ofMessages: Reactable<m.Message> = {
  records: ({ messages }) => messages,
  sees: m.seesMessage,
}

const pickReacted = <T extends Reacted>(
  model: m.Model,
  who: m.Person,
  random: Random,
  { records, sees }: Reactable<T>,
) => pickMostly(records(model), random, (each) => sees(who, each))

/** The author of a record is told of a reaction to it, or that it was taken back. */
function tell(model: m.Model, actor: m.Person, record: Reacted, reaction: 'added' | 'removed', at: number): number {
  const subject = 'channel' in record ? record : 'post' in record ? record.post : record.thread
  const item = 'channel' in record ? undefined : record
  const named = record.author === actor ? [] : [record.author]
  return happen(model, { subject, item, actor, at, named, reaction })
}

const planAdding =
  <T extends Reacted>(kind: Reactable<T>): Plan =>
  (model, who, random) => {
    const record = pickReacted(model, who, random, kind)
    const emoji = random.pick(EMOJI)
    return {
      ask: (client) => client.reactions.add({ subject_id: idOf(record), emoji }),
      apply(_, at) {
        m.admit(who, 'write')
        if (!record || !kind.sees(who, record)) m.refuse('not_found')
        const people = reactionsTo(model, record).getOrInsertComputed(emoji, () => new Map())
        if (!people.has(who)) people.set(who, { order: tell(model, who, record, 'added', at), at })
      },
    }
  }

const planRemoving =
  <T extends Reacted>(kind: Reactable<T>): Plan =>
  (model, who, random) => {
    const record = pickReacted(model, who, random, kind)
    const emoji = random.pick(EMOJI)
    return {
      ask: (client) => client.reactions.remove({ subject_id: idOf(record), emoji }),
      apply(_, at) {
        m.admit(who, 'write')
        if (!record || !kind.sees(who, record)) m.refuse('not_found')
        const reactions = reactionsTo(model, record)
        if (reactions.get(emoji)?.delete(who)) tell(model, who, record, 'removed', at)
        if (reactions.get(emoji)?.size === 0) reactions.delete(emoji)
      },
    }
  }

const adding = [planAdding(ofPosts), planAdding(ofComments), planAdding(ofMessages)] as const
const removing = [planRemoving(ofPosts), planRemoving(ofComments), planRemoving(ofMessages)] as const

const pickPost = (model: m.Model, who: m.Person, random: Random) =>
  pickMostly(model.posts, random, (each) => m.seesPost(who, each))

function findPost(who: m.Person, needed: 'read' | 'write', post: m.Post | undefined): m.Post {
  m.admit(who, needed)
  return post && m.seesPost(who, post) ? post : m.refuse('not_found')
}

/** Apps save nothing and have no drafts. */
function admitMember(who: m.Person) {
  m.admit(who, 'read')
  if (who.role === 'app') m.refuse('forbidden')
}

/** Reactions, pins, saved posts and drafts. */
export const contentPlans = {
  'reactions.add': (...world) => world[2].pick(adding)(...world),
  'reactions.remove': (...world) => world[2].pick(removing)(...world),

  'pins.set'(model, who, random) {
    const post = pickPost(model, who, random)
    return {
      ask: (client) => client.pins.set({ post_id: idOf(post) }),
      apply(_, at) {
        model.content.pins.getOrInsert(findPost(who, 'write', post), { by: who, at })
      },
    }
  },
  'pins.unset'(model, who, random) {
    const post = pickPost(model, who, random)
    return {
      ask: (client) => client.pins.unset({ post_id: idOf(post) }),
      apply() {
        model.content.pins.delete(findPost(who, 'write', post))
      },
    }
  },

  'saved.set'(model, who, random) {
    const post = pickPost(model, who, random)
    return {
      ask: (client) => client.saved.set({ post_id: idOf(post) }),
      apply(_, now) {
        admitMember(who)
        savedBy(model, who).getOrInsert(findPost(who, 'read', post), now)
      },
    }
  },
  'saved.unset'(model, who, random) {
    const post = pickPost(model, who, random)
    return {
      ask: (client) => client.saved.unset({ post_id: idOf(post) }),
      apply() {
        admitMember(who)
        savedBy(model, who).delete(findPost(who, 'read', post))
      },
    }
  },

  'drafts.save'(model, who, random, text) {
    const subject = random.below(3) > 0 ? pickPost(model, who, random) : undefined
    const subjectId = subject?.id ?? 'new'
    const known = draftsOf(model, who).get(subjectId)
    const version = random.below(2) ? known?.version : 0
    return {
      ask: (client) => client.drafts.save({ subject_id: subjectId, content_markdown: text, version }),
      apply(answer, updatedAt) {
        admitMember(who)
        if (!known && subject && !m.seesPost(who, subject)) m.refuse('not_found')
        if (known?.text === text) return
        const isUnseen = known !== undefined && known.version !== (version ?? 0)
        const others = known?.others.filter((other) => other !== text) ?? []
        const kept = isUnseen ? [known.text, ...others].slice(0, MAX_OTHER_VERSIONS) : others
        draftsOf(model, who).set(subjectId, { subjectId, text, version: answer.version!, updatedAt, others: kept })
      },
    }
  },
  'drafts.delete'(model, who, random) {
    const drafts = draftsOf(model, who)
    const draft = pickMostly([...drafts.values()], random, () => true)
    // With its version, a draft that has other versions would stay, empty; test/drafts.test.ts has that.
    const version = random.below(2) && draft?.others.length === 0 ? random.pick([draft.version, 1]) : undefined
    return {
      ask: (client) => client.drafts.delete({ subject_id: draft?.subjectId ?? 'new', version }),
      apply() {
        admitMember(who)
        if (!draft) return
        if (version !== undefined && version !== draft.version) m.refuse('draft_changed')
        drafts.delete(draft.subjectId)
      },
    }
  },
} satisfies Partial<Plans>
