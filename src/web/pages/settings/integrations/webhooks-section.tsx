import { useState } from 'react'
import { Link } from 'wouter'
import type { NewWebhook, Webhook } from '../../../../contract/webhooks'
import { createWebhook, useNotOwnerReason, useWebhooks } from '../../../data/integrations'
import { Button } from '../../../parts/button'
import { Empty, ProblemNote } from '../../../parts/states'
import { paths } from '../../../paths'
import { RowSkeleton, SecretNote } from '../parts'
import { WebhookForm } from './webhook-form'
import { formatEventTypes, WebhookState } from './webhook-section'

/** All webhooks of the workspace, for admins. */
export function WebhooksSection() {
  const webhooks = useWebhooks(true)
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<NewWebhook>()
  const newWebhook = (
    <Button icon="plus" onClick={() => setCreating(true)}>
      New webhook
    </Button>
  )
  return (
    <>
      <p className="meta">
        A webhook sends events to a URL, signed with its secret (Standard Webhooks). It delivers what its owner can see:
        public channels, and the private channels and threads they are in.
      </p>
      {created && <SecretNote title="Webhook secret" secret={created.secret} dismiss={() => setCreated(undefined)} />}
      {webhooks.error && !webhooks.data && <ProblemNote error={webhooks.error} retry={() => void webhooks.refetch()} />}
      {!webhooks.data && !webhooks.error && <RowSkeleton what="webhooks" />}
      {webhooks.data?.length === 0 && (
        <Empty title="No webhooks yet" action={newWebhook}>
          Webhooks notify your programs of changes, so that they do not have to poll.
        </Empty>
      )}
      {webhooks.data && webhooks.data.length > 0 && (
        <>
          <ul className="rows" aria-label="Webhooks">
            {webhooks.data.map((webhook) => (
              <WebhookRow key={webhook.id} webhook={webhook} />
            ))}
          </ul>
          <div>{newWebhook}</div>
        </>
      )}
      {isCreating && (
        <WebhookForm
          title="New webhook"
          action="Create webhook"
          save={async (input) => setCreated(await createWebhook(input))}
          close={() => setCreating(false)}
        />
      )}
    </>
  )
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const isOwnedByOther = useNotOwnerReason(webhook) !== undefined
  return (
    <li className="rows-item">
      <div>
        <p className="rows-name">
          <Link href={paths.settings('webhooks', webhook.id)}>{webhook.url}</Link>
        </p>
        <p className="meta">
          {isOwnedByOther && `Owned by ${webhook.owner.name} · `}
          {formatEventTypes(webhook)}
        </p>
      </div>
      <WebhookState webhook={webhook} />
    </li>
  )
}
