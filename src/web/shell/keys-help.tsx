import { Dialog } from '../parts/dialog'
import { formatKey, getActiveKeys } from './keys'

/** Lists the shortcuts of the current page. */
export default function KeysHelp({ close }: { close(): void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      {getActiveKeys().map(({ title, keys }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl className="keys">
            {Object.entries(keys).map(([key, { label }]) => (
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
