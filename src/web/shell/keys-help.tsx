import { writingKeys } from '../composer/tools'
import { Dialog } from '../parts/dialog'
import { formatKey } from '../parts/format-key'
import { getActiveKeys } from './keys'

/** Lists the shortcuts of the current page and of every editor. */
export default function KeysHelp({ close }: { close(): void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      {[...getActiveKeys(), { title: 'While writing', keys: writingKeys }].map(({ title, keys }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl className="keys">
            {keys.map(([key, { label }]) => (
              <div key={key}>
                <dt>
                  {key
                    .split(' ')
                    .map(formatKey)
                    .map((part) => (
                      <kbd key={part}>{part}</kbd>
                    ))}
                </dt>
                <dd>{label}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
