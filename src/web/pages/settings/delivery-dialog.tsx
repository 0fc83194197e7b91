import { useMutation } from '@tanstack/react-query'
import type { DeliveryDetails } from '../../../contract/webhooks'
import { redeliver, replay, useDelivery } from '../../data/webhooks'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { ProblemNote } from '../../parts/states'
import { formatExactTime, Time } from '../../parts/time'
import { DeliveryChip, formatAttempts, NextAttempt } from './delivery-state'
import { RowSkeleton } from './row-skeleton'

/** One delivery: request, responses and durations. */
export function DeliveryDialog({ id, close }: { id: string; close(): void }) {
  const delivery = useDelivery(id)
  return (
    <Dialog title={delivery.data?.event_type ?? 'Delivery'} onClose={close}>
      {delivery.error && <ProblemNote error={delivery.error} retry={() => void delivery.refetch()} />}
      {!delivery.data && !delivery.error && <RowSkeleton what="the delivery" />}
      {delivery.data && <Details delivery={delivery.data} close={close} />}
    </Dialog>
  )
}

function Details({ delivery, close }: { delivery: DeliveryDetails; close(): void }) {
  const { id, webhook_id, event_id, event_type, status, request, attempts, created_at, not_sent_reason } = delivery
  const replaying = useMutation({ mutationFn: () => replay({ id: webhook_id }, event_id), onSuccess: close })
  const redelivery = useMutation({ mutationFn: () => redeliver({ id, webhook_id }) })
  return (
    <>
      <p className="meta row">
        <DeliveryChip status={status} />
        <span>
          <Time at={created_at} /> · {formatAttempts(delivery)}
          <NextAttempt of={delivery} />
        </span>
      </p>
      {not_sent_reason && <p>Not sent: {not_sent_reason}</p>}
      <section className="form" aria-label="Request">
        <h3>Request</h3>
        <dl className="details-list">
          <dt>To</dt>
          <dd>{request.url}</dd>
          <dt>Event</dt>
          <dd>
            <code>{event_id}</code>
          </dd>
        </dl>
        {request.body === null ? <p className="meta">{NOT_SHOWN}</p> : <Body text={formatJson(request.body)} />}
      </section>
      <section className="form" aria-label="Responses">
        <h3>Responses</h3>
        {attempts.length === 0 && <p className="meta">No attempts yet.</p>}
        <ol className="rows">
          {attempts.map((attempt) => (
            <li key={attempt.attempted_at} className="attempt">
              <p className="meta row">
                <span className={`chip ${isSuccess(attempt) ? 'good' : 'danger'}`}>
                  {attempt.response_status ?? 'No response'}
                </span>
                <time dateTime={attempt.attempted_at}>{formatExactTime(attempt.attempted_at)}</time>
                <span className="count">{attempt.duration_ms.toLocaleString()} ms</span>
              </p>
              {attempt.error && <p>{attempt.error}</p>}
              {attempt.response_body && <Body text={attempt.response_body} />}
            </li>
          ))}
        </ol>
      </section>
      {replaying.error && <ProblemNote error={replaying.error} />}
      <div className="row end dialog-foot">
        <Button
          disabledReason={event_type === 'webhook.ping' ? 'Test events cannot be replayed.' : undefined}
          onClick={() => replaying.mutate()}
        >
          Replay later events
        </Button>
        <Button
          variant="primary"
          disabledReason={status === 'pending' ? 'This delivery is pending.' : undefined}
          disabled={redelivery.isPending}
          onClick={() => redelivery.mutate()}
        >
          Send again
        </Button>
      </div>
    </>
  )
}

const NOT_SHOWN = 'You can no longer see this event, or it is no longer in the log.'

const isSuccess = ({ response_status }: DeliveryDetails['attempts'][number]) =>
  response_status !== null && response_status >= 200 && response_status < 300

const Body = ({ text }: { text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard.
  <pre className="sent" tabIndex={0}>
    {text}
  </pre>
)

/** Pretty-prints JSON. */
function formatJson(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
