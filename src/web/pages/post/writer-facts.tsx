import type { ReactNode } from 'react'
import type { Channel } from '../../../contract/channels'
import { useIsJoined } from '../../data/channels'
import { formatCount } from '../../parts/format-count'
import { formatKey } from '../../parts/format-key'

/** Who gets a post, and what one can press while writing it: in the margin, or under the title where there is none. */
export const WriterFacts = ({ channel }: { channel: Channel | undefined }) => (
  <aside className="writer-facts" aria-label="About this post">
    <dl>
      {channel && (
        <Fact name="Goes to">
          <p>
            {formatCount(channel.members_count, 'member')} of #{channel.name}
          </p>
          <Joining channel={channel} />
        </Fact>
      )}
      <Fact name="Keys" className="writer-keys">
        <Key name="@">Mention someone</Key>
        <Key name=":">Insert an emoji</Key>
        <Key name="mod+Enter">Publish</Key>
      </Fact>
    </dl>
  </aside>
)

/** Who publishes in a channel is in it from then on. */
function Joining({ channel }: { channel: Channel }) {
  const isJoined = useIsJoined(channel.id)
  return isJoined === false ? <p className="meta">You join it when you publish.</p> : null
}

const Fact = ({ name, className, children }: { name: string; className?: string; children: ReactNode }) => (
  <div className={className}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const Key = ({ name, children }: { name: string; children: ReactNode }) => (
  <p>
    <kbd>{formatKey(name)}</kbd>
    {children}
  </p>
)
