import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { Input } from '../../../../contract'
import { kindOf } from '../../../../contract/browser/kinds'
import type { NewHook } from '../../../../contract/hooks'
import { useChannels } from '../../../data/channels'
import { createHook } from '../../../data/integrations'
import { useMe } from '../../../data/me'
import { getThreadTitle, useThreads } from '../../../data/threads'
import { Field, getFieldError, NameField } from '../../../parts/field'
import { FormDialog } from '../../../parts/form-dialog'
import { paths } from '../../../paths'
import { ChannelPicker } from '../../post/channel-picker'

/** The choice that asks for the link of a post. */
const POST = 'post'
/** The choice that asks for a channel that the member is not in: there may be thousands. */
const CHANNEL = 'channel'

/** A new incoming webhook: its name, and where it writes. */
export function HookForm({ close, done }: { close(): void; done(hook: NewHook): void }) {
  const targetId = useId()
  const [target, setTarget] = useState('')
  const [channelId, setChannelId] = useState('')
  const create = useMutation({
    mutationFn: (form: FormData) =>
      createHook({
        name: String(form.get('name')).trim(),
        ...getTarget(target === CHANNEL ? channelId : target, String(form.get('link') ?? '')),
      }),
    onSuccess: (hook) => {
      close()
      done(hook)
    },
  })
  const targetError = ['channel_id', 'post_id', 'thread_id']
    .map((name) => getFieldError(create.error, name))
    .find((error) => error !== undefined)
  const nameError = getFieldError(create.error, 'name')
  return (
    <FormDialog
      title="New incoming webhook"
      label="Create"
      close={close}
      send={create.mutate}
      isPending={create.isPending}
      error={targetError || nameError ? undefined : create.error}
    >
      <NameField autoFocus placeholder="Grafana" hint="Shown as the author of what it posts." error={nameError} />
      <div className="field">
        <label htmlFor={targetId}>Posts to</label>
        <select
          id={targetId}
          className="input"
          required
          value={target}
          onChange={(event) => setTarget(event.target.value)}
        >
          <option value="" disabled>
            Choose…
          </option>
          <TargetOptions />
        </select>
        {target === CHANNEL && <ChannelPicker value={channelId} choose={setChannelId} />}
        {targetError && target !== POST && <p className="field-error">{targetError}</p>}
      </div>
      {target === POST && (
        <Field
          label="Link to the post"
          name="link"
          type="url"
          required
          placeholder={`${location.origin}${paths.post('…')}`}
          error={targetError}
        />
      )}
    </FormDialog>
  )
}

function TargetOptions() {
  const me = useMe()
  const channels = useChannels().data ?? []
  const { records: threads } = useThreads()
  return (
    <>
      <optgroup label="Channels">
        {channels.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        <option value={CHANNEL}>Another channel…</option>
      </optgroup>
      {threads.length > 0 && (
        <optgroup label="Threads">
          {threads.map((thread) => (
            <option key={thread.id} value={thread.id}>
              {getThreadTitle(thread, me.author)}
            </option>
          ))}
        </optgroup>
      )}
      <optgroup label="Posts">
        <option value={POST}>Comments on a post…</option>
      </optgroup>
    </>
  )
}

function getTarget(target: string, link: string): Omit<Input<'hooks.create'>, 'name'> {
  if (target === POST) return { post_id: link.match(/post_[0-9a-z]+/)?.[0] ?? link.slice(0, 100) }
  return kindOf(target) === 'thread' ? { thread_id: target } : { channel_id: target }
}
