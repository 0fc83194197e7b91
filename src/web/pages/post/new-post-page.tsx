import { useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { Composer } from '../../composer/composer'
import { useChannels } from '../../data/channels'
import { readDraft, saveDraft } from '../../data/drafts'
import { usePermissions } from '../../data/me'
import { publishPost } from '../../data/post-writing'
import { readStored, store } from '../../data/storage'
import { Field } from '../../parts/field'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'

const TITLE = 'post:new-title'
const LAST_CHANNEL = 'last-channel'

/** Writes a post. Title and text are kept as drafts until it is published. */
export default function NewPostPage() {
  const [, navigate] = useLocation()
  const { writeDeniedReason } = usePermissions()
  const [channelId, choose, channelInUrl] = useChosenChannel()
  const [title, setTitle] = useState(() => readDraft(TITLE))

  async function send(markdown: string, idempotencyKey: string) {
    const post = await publishPost(channelId, title, markdown, idempotencyKey)
    saveDraft(TITLE, '')
    store(LAST_CHANNEL, channelId)
    navigate(paths.post(post.id))
  }
  return (
    <main className="page new-post" id="main">
      <PageTitle title="New post" />
      <Composer
        draftKey="post:new"
        label="Text"
        submitLabel="Publish"
        rows={10}
        autoFocus={writeDeniedReason === undefined}
        disabledReason={writeDeniedReason}
        submitDisabledReason={writeDeniedReason ?? (channelId ? undefined : 'Choose a channel first.')}
        onCancel={() => navigate(channelInUrl ? paths.channel(channelId) : paths.posts)}
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
          onChange={(event) => {
            setTitle(event.target.value)
            saveDraft(TITLE, event.target.value)
          }}
        />
      </Composer>
    </main>
  )
}

/** The channel in the URL, else the one last posted to. */
function useChosenChannel(): [string, (id: string) => void, string | null] {
  const [, navigate] = useLocation()
  const channelInUrl = new URLSearchParams(useSearch()).get('channel')
  const { data = [] } = useChannels()
  const last = readStored<string>(LAST_CHANNEL, '')
  const chosen = channelInUrl ?? (data.some(({ id }) => id === last) ? last : data.length === 1 ? data[0]!.id : '')
  return [chosen, (id) => navigate(paths.newPost(id), { replace: true }), channelInUrl]
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
