import { useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { Composer } from '../../composer/composer'
import { readStored, store } from '../../data/cache/storage'
import { useChannels } from '../../data/channels'
import { draftKeys, findLatestPostDraft, moveDraft, NO_SUBJECT, saveDraft, useStoredDraft } from '../../data/drafts'
import { usePermissions } from '../../data/me'
import { publishPost } from '../../data/posts'
import { moveUploads } from '../../data/uploads'
import { Field } from '../../parts/field'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'

const LAST_CHANNEL = 'last-channel'

/** Writes a post. Title and text are kept as drafts of their channel until it is published. */
export default function NewPostPage() {
  const [, navigate] = useLocation()
  const { writeDeniedReason } = usePermissions()
  const { subject, channelId, choose, channelInUrl } = useChosenChannel()
  const [title, setTitle] = useDraftTitle(subject)

  async function send(markdown: string, idempotencyKey: string) {
    const post = await publishPost(channelId, title, markdown, idempotencyKey)
    setTitle('')
    store(LAST_CHANNEL, channelId)
    navigate(post ? paths.post(post.id) : paths.channel(channelId))
  }
  return (
    <main className="page new-post" id="main">
      <PageTitle title="New post" />
      <Composer
        draftKey={draftKeys.post(subject)}
        label="Text"
        submitLabel="Publish"
        noun="post"
        rows={10}
        autoFocus={writeDeniedReason === undefined}
        disabledReason={writeDeniedReason}
        submitDisabledReason={writeDeniedReason ?? (channelId ? undefined : 'Choose a channel first.')}
        onCancel={() => navigate(channelInUrl ? paths.channel(channelInUrl) : paths.posts)}
        onSubmit={send}
      >
        <ChannelChoice value={channelId} choose={choose} />
        <Field
          label="Title"
          value={title}
          maxLength={200}
          hint="Optional. If empty, the first line of the text is used."
          autoComplete="off"
          readOnly={writeDeniedReason !== undefined}
          onChange={(event) => setTitle(event.target.value)}
        />
      </Composer>
    </main>
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
  const { data: channels } = useChannels()
  const subject = channelInUrl ?? usual
  const isChannel = channels ? channels.some(({ id }) => id === subject) : subject !== NO_SUBJECT
  const onlyChannel = channels?.length === 1 ? channels[0]!.id : ''

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

function ChannelChoice({ value, choose }: { value: string; choose(id: string): void }) {
  const channels = useChannels()
  return (
    <div className="field">
      <label htmlFor="channel">Channel</label>
      <select id="channel" className="input" value={value} onChange={(event) => choose(event.target.value)}>
        {!value && <option value="">Choose a channel</option>}
        {channels.data?.map(({ id, name, is_private }) => (
          <option key={id} value={id}>
            {name}
            {is_private && ' (private)'}
          </option>
        ))}
      </select>
    </div>
  )
}
