import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type EventType, webhookEventTypes } from '../../../../contract/event-types'
import type { Webhook } from '../../../../contract/webhooks'
import type { WebhookInput } from '../../../data/integrations'
import { Check } from '../../../parts/check'
import { Field, getFieldError } from '../../../parts/field'
import { FormDialog } from '../../../parts/form-dialog'

interface Props {
  title: string
  action: string
  webhook?: Webhook
  save(input: WebhookInput): Promise<void>
  close(): void
}

/** The URL and the event types of a webhook. */
export function WebhookForm({ title, action, webhook, save, close }: Props) {
  const [isEveryType, setEveryType] = useState(!webhook || webhook.types.length === 0)
  const saving = useMutation({ mutationFn: save, onSuccess: close })
  const [isNoneChosen, setNoneChosen] = useState(false)
  function send(form: FormData) {
    const types = isEveryType ? [] : (form.getAll('type') as EventType[])
    setNoneChosen(!isEveryType && types.length === 0)
    if (isEveryType || types.length > 0) saving.mutate({ url: String(form.get('url')).trim(), types })
  }
  const fieldError = getFieldError(saving.error, 'url')
  return (
    <FormDialog
      title={title}
      label={action}
      close={close}
      send={send}
      isPending={saving.isPending}
      error={fieldError ? undefined : saving.error}
    >
      <Field
        label="URL"
        name="url"
        type="url"
        defaultValue={webhook?.url}
        maxLength={2000}
        required
        autoFocus
        placeholder="https://"
        error={fieldError}
        hint="Events are sent to this URL as POST requests."
      />
      <fieldset className="choices">
        <legend>Events</legend>
        <Check
          type="radio"
          name="events"
          label="All events"
          checked={isEveryType}
          onChange={() => setEveryType(true)}
        />
        <Check
          type="radio"
          name="events"
          label="Selected events"
          checked={!isEveryType}
          onChange={() => setEveryType(false)}
        />
      </fieldset>
      {!isEveryType && <TypeChoices chosen={webhook?.types ?? []} />}
      {isNoneChosen && (
        <p className="field-error" role="alert">
          Choose at least one event.
        </p>
      )}
    </FormDialog>
  )
}

const nouns = [...new Set(webhookEventTypes.map((type) => type.split('.')[0]!))]

const TypeChoices = ({ chosen }: { chosen: readonly string[] }) => (
  <div className="type-choices">
    {nouns.map((noun) => (
      <fieldset key={noun} className="choices">
        <legend>{noun}</legend>
        {webhookEventTypes
          .filter((type) => type.startsWith(`${noun}.`))
          .map((type) => (
            <Check
              key={type}
              name="type"
              value={type}
              label={<code>{type}</code>}
              defaultChecked={chosen.includes(type)}
            />
          ))}
      </fieldset>
    ))}
  </div>
)
