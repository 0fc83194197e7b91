import { type ReactNode, useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { channelPlace } from '../../data/audience'
import { readStored, store } from '../../data/cache/storage'
import { useChannel, useIsInNoChannel, useOfferedChannels } from '../../data/channels'
import { type DraftState, useDraftState } from '../../data/draft-state'
import {
  draftKeys,
  findLatestPostDraft,
  moveDraft,
  NO_SUBJECT,
  readDraft,
  saveDraft,
  useStoredDraft,
} from '../../data/drafts'
import { usePermissions } from '../../data/me'
import { publishPost } from '../../data/posts'
import { moveUploads } from '../../data/uploads'
import { Icon } from '../../parts/icon'
import { Empty } from '../../parts/states'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { ChannelPicker } from './channel-picker'
import { PostWriter } from './post-writer'
import { WriterFacts } from './writer-facts'

const LAST_CHANNEL = 'last-channel'

/** Writes a post, or says why one cannot. */
export default function NewPostPage() {
  const { writeDeniedReason } = usePermissions()
  const isInNoChannel = useIsInNoChannel()
  if (writeDeniedReason)
    return (
      <CannotWrite title="You can read, but not write" action={<Link href={paths.members}>Find an admin</Link>}>
        {writeDeniedReason}
      </CannotWrite>
    )
  if (isInNoChannel)
    return (
      <CannotWrite title="You are not in a channel yet">
        A post goes to a channel. Ask whoever invited you, or an admin, to add you to one.
      </CannotWrite>
    )
  return <NewPost />
}

/** Guests are told no action: they see nobody to ask. */
const CannotWrite = ({ title, action, children }: { title: string; action?: ReactNode; children: string }) => (
  <main className="page" id="main">
    <PageTitle title="New post" />
    <Empty title={title} action={action}>
      {children}
    </Empty>
  </main>
)

/** A new post. Title and text are kept as drafts of their channel until it is published. */
function NewPost() {
  const [, navigate] = useLocation()
  const { subject, channelId, choose, channelInUrl } = useChosenChannel()
  const [title, setTitle] = useDraftTitle(subject)
  const [wasBegun] = useState(() => readDraft(draftKeys.post(subject)) + title !== '')
  const { channel } = useChannel(channelId || undefined)

  async function send(markdown: string, idempotencyKey: string) {
    const post = await publishPost(channelId, title, markdown, idempotencyKey)
    setTitle('')
    store(LAST_CHANNEL, channelId)
    navigate(post ? paths.post(post.id) : paths.channel(channelId))
  }
  return (
    <main className="page write" id="main">
      <PostWriter
        name="New post"
        title={title}
        setTitle={setTitle}
        closeLabel="Close"
        place={
          <>
            <span className="writer-in">New post in</span>
            <ChannelPicker value={channelId} choose={choose} />
          </>
        }
        note={() => <DraftNote draftKey={draftKeys.post(subject)} />}
        options={{
          draftKey: draftKeys.post(subject),
          label: 'Text',
          submitLabel: 'Publish',
          noun: 'post',
          autoFocus: wasBegun,
          audience: channel && channelPlace(channel),
          submitDisabledReason: channelId ? undefined : 'Choose a channel first.',
          onCancel: () => navigate(channelInUrl ? paths.channel(channelInUrl) : paths.posts),
          onSubmit: send,
        }}
      />
      <WriterFacts channel={channel} draftKey={draftKeys.post(subject)} />
    </main>
  )
}

const draftNotes: Record<DraftState, string> = {
  none: '',
  saving: 'Saving draft…',
  saved: 'Draft saved',
  here: 'Saved on this device only',
}

/** Says where the draft is by now. */
function DraftNote({ draftKey }: { draftKey: string }) {
  const state = useDraftState(draftKey)
  return (
    <p
      className="draft-note"
      role="status"
      title={
        state === 'here'
          ? 'The server cannot be reached. Your other devices get the draft as soon as it can.'
          : undefined
      }
    >
      {state === 'saved' && <Icon name="check" size={14} />}
      {state === 'here' && <Icon name="offline" size={14} />}
      {draftNotes[state]}
    </p>
  )
}

/**
 * The channel in the URL, else that of the latest draft, else the one last posted to. The draft belongs to that subject, even if it is
 * no channel that can be posted to (any more).
 */
function useChosenChannel() {
  const [, navigate] = useLocation()
  const channelInUrl = new URLSearchParams(useSearch()).get('channel')
  const [usual] = useState(() => findLatestPostDraft() ?? (readStored<string>(LAST_CHANNEL, '') || NO_SUBJECT))
  const channels = useOfferedChannels()
  const subject = channelInUrl ?? usual
  const { isMissing } = useChannel(subject === NO_SUBJECT ? undefined : subject)
  const isChannel = subject !== NO_SUBJECT && !isMissing
  const onlyChannel = channels.length === 1 ? channels[0]!.id : ''

  function choose(id: string) {
    moveDraft(draftKeys.postTitle(subject), draftKeys.postTitle(id), ' ')
    moveDraft(draftKeys.post(subject), draftKeys.post(id), '\n\n')
    moveUploads(draftKeys.post(subject), draftKeys.post(id))
    navigate(paths.newPost(id), { replace: true })
  }
  return { subject, channelId: isChannel ? subject : onlyChannel, choose, channelInUrl }
}

/** The title that is kept as a draft of a subject. */
function useDraftTitle(subject: string): [string, (title: string) => void] {
  const key = draftKeys.postTitle(subject)
  return [useStoredDraft(key), (title) => saveDraft(key, title)]
}
