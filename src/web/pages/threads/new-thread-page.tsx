import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { MentionedAudience } from '../../../contract/audience'
import { isEveryone } from '../../../contract/browser/constants'
import { kindOf } from '../../../contract/browser/kinds'
import type { Author } from '../../../contract/shapes'
import { Composer } from '../../composer/composer'
import type { AudiencePlace } from '../../data/audience'
import { loadAll } from '../../data/cache/pages'
import { parley } from '../../data/cache/parley'
import { putOwn } from '../../data/cache/records'
import { useIsInNoChannel } from '../../data/channels'
import { draftKeys, moveDraft, NO_SUBJECT, saveDraft } from '../../data/drafts'
import { useMe, usePermissions, usePreferences } from '../../data/me'
import { toAuthor, useMentionable } from '../../data/mentions'
import { Field } from '../../parts/field'
import { notifyProblem } from '../../parts/notices'
import { Empty, Loading, Skeleton } from '../../parts/states'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { BackToThreads } from './back-to-threads'
import { PeoplePicker } from './people-picker'

/** Participants and the first message. With one other member it is a direct message. */
export function NewThread() {
  const isAlone = useIsAlone()
  const query = new URLSearchParams(useSearch())
  const [ids] = useState(query.get('with')?.split(',').filter(Boolean) ?? [])
  const [isDirect] = useState(query.has('direct'))
  const known = useQuery({ queryKey: ['people', ids], queryFn: () => loadPeople(ids), enabled: ids.length > 0 })
  if (isAlone)
    return (
      <div className="threads-page">
        <Head isDirect={isDirect} />
        <Empty title="Nobody to write to yet">
          You can write to the people you share a channel with. Ask whoever invited you, or an admin, to add you to one.
        </Empty>
      </div>
    )
  return (
    <div className="threads-page">
      {isAlone === undefined || (ids.length > 0 && known.isPending) ? (
        <>
          <Head isDirect={isDirect} />
          <Loading what="people">
            <Skeleton height={36} />
          </Loading>
        </>
      ) : (
        <Form initialPeople={known.data ?? []} isDirectAtFirst={isDirect} />
      )}
    </div>
  )
}

/** Guests see nobody before they share a channel or a thread with someone. Undefined until that is known. */
function useIsAlone(): boolean | undefined {
  const { author } = useMe()
  const isInNoChannel = useIsInNoChannel()
  const { data } = useMentionable(isInNoChannel ? '' : undefined)
  return isInNoChannel ? data?.every(({ id }) => id === author.id) : false
}

const Head = ({ isDirect }: { isDirect: boolean }) => (
  <div className="page-head thread-new">
    <BackToThreads />
    <PageTitle title={isDirect ? 'New direct message' : 'New thread'} />
  </div>
)

/** Loads the people in the URL, and skips ids that do not exist. */
async function loadPeople(ids: string[]): Promise<Author[]> {
  const apps = ids.some((id) => kindOf(id) === 'app') ? (await parley.apps.list()).data : []
  const found = await Promise.all(
    ids.map(async (id): Promise<Author | undefined> => {
      const app = apps.find((known) => known.id === id)
      if (app) return { id, type: 'app', name: app.name, avatar_urls: app.avatar_urls }
      const member = await parley.members.get({ id }).catch(() => undefined)
      return member && !member.is_deactivated ? toAuthor(member) : undefined
    }),
  )
  return found.filter((author) => author !== undefined)
}

function Form({ initialPeople, isDirectAtFirst }: { initialPeople: Author[]; isDirectAtFirst: boolean }) {
  const [, navigate] = useLocation()
  const { author } = useMe()
  const { writeDeniedReason } = usePermissions()
  const { enter_sends } = usePreferences()
  const [people, setPeople] = useState(initialPeople)
  const [title, setTitle] = useState('')
  const isDirect = isOneMember(people)
  const draftKey = getDraftKey(people)
  const ids = people.map(({ id }) => id).join(',')
  useEffect(() => {
    if (!ids && isDirectAtFirst) return
    navigate(paths.newThread(ids ? ids.split(',') : []), { replace: true, state: history.state })
  }, [ids, isDirectAtFirst, navigate])

  // The text is kept when other members are chosen.
  const pick = (chosen: Author[]) => {
    const next = getDraftKey(chosen)
    if (next !== draftKey) moveDraft(draftKey, next, '\n\n')
    setPeople(chosen)
  }
  const send = async (content_markdown: string, idempotencyKey: string) => {
    const thread_id = isDirect
      ? (await parley.messages.createDirect({ member_id: people[0]!.id, content_markdown }, { idempotencyKey }))
          .thread_id
      : await createThread(people, title, content_markdown, idempotencyKey)
    // Keeps the focus in the composer.
    navigate(paths.thread(thread_id), { replace: true, state: { isNew: true } })
  }
  return (
    <>
      <Head isDirect={isDirect || (people.length === 0 && isDirectAtFirst)} />
      <div className="form">
        <PeoplePicker people={people} pick={pick} disabledReason={writeDeniedReason} />
        {people.length > 0 && !isDirect && (
          <Field
            label="Title"
            hint="Optional. Without a title, the thread is named after its participants."
            maxLength={300}
            value={title}
            onChange={(event) => setTitle(event.target.value)}
          />
        )}
        <Composer
          draftKey={draftKey}
          sendsOnEnter={enter_sends}
          label="Message"
          submitLabel="Send"
          noun="message"
          placeholder="Write the first message"
          rows={3}
          autoFocus={initialPeople.length > 0}
          disabledReason={writeDeniedReason ?? (people.length === 0 ? 'Add at least one person first.' : undefined)}
          audience={newThreadPlace(people, author, (more) => pick([...people, ...more]))}
          onSubmit={send}
        />
      </div>
    </>
  )
}

const isOneMember = (people: Author[]) => people.length === 1 && people[0]!.type === 'member'

/** The first message to one member is saved as a draft for that member. A message to several members stays in this browser. */
const getDraftKey = (people: Author[]) => draftKeys.message(isOneMember(people) ? people[0]!.id : NO_SUBJECT)

/** Nobody else is in a thread that does not exist yet, so who gets its first message is known here. */
function newThreadPlace(people: Author[], me: Author, pick: (more: readonly Author[]) => void): AudiencePlace {
  const ids = new Set(people.map(({ id }) => id))
  return {
    key: `new ${[...ids].join()}`,
    name: 'this thread',
    async ask(mentioned) {
      const loaded = await Promise.all(mentioned.map((id) => loadMentioned(id).catch(() => undefined)))
      const known = loaded.filter((each) => each !== undefined)
      const describe = async ({ who, ...mention }: Mentioned): Promise<MentionedAudience> => {
        const others = who.filter(({ id }) => id !== me.id)
        const excluded = others.filter(({ id }) => !ids.has(id))
        const named = excluded.slice(0, MAX_ADDED)
        // Groups keep those who were deactivated, and nobody can write to them.
        const without_access = mention.type === 'group' ? await loadPeople(named.map(({ id }) => id)) : named
        const without_access_count = excluded.length - named.length + without_access.length
        const reaches = others.length - excluded.length
        return { ...mention, reaches, without_access_count, without_access, can_add: without_access_count > 0 }
      }
      return {
        ...{ members_count: ids.size + 1, is_public: false, followers_count: 0 },
        mentioned: await Promise.all(known.map(describe)),
      }
    },
    add: async (more) => pick(more),
  }
}

/** As many as the server names in `audience.get`. */
const MAX_ADDED = 20

interface Mentioned extends Pick<MentionedAudience, 'id' | 'type' | 'name' | 'is_allowed'> {
  who: Author[]
}

/** What is mentioned, and who that is. A mention of a channel means nobody in a thread. */
async function loadMentioned(id: string): Promise<Mentioned | undefined> {
  if (isEveryone(id)) return { id, type: id, name: id, is_allowed: false, who: [] }
  if (kindOf(id) === 'group') {
    const { name } = await parley.groups.get({ id })
    const who = await loadAll(parley.groups.members({ group_id: id, limit: 50 }))
    return { id, type: 'group', name, is_allowed: true, who }
  }
  const [author] = await loadPeople([id])
  return author && { id, type: author.type, name: author.name, is_allowed: true, who: [author] }
}

/** Creates the thread, then its first message. If only the message fails, its text becomes a draft in the thread. */
async function createThread(people: Author[], title: string, content_markdown: string, idempotencyKey: string) {
  const member_ids = people.map(({ id }) => id)
  const input = { member_ids, ...(title.trim() && { title: title.trim() }) }
  const thread = await parley.threads.create(input, { idempotencyKey })
  putOwn('thread', thread)
  try {
    await parley.messages.create({ thread_id: thread.id, content_markdown })
  } catch (error) {
    saveDraft(draftKeys.message(thread.id), content_markdown)
    notifyProblem("The thread was created, but the message couldn't be sent.", error)
  }
  return thread.id
}
