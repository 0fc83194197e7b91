import { Link } from 'wouter'
import type { Channel } from '../../../contract/channels'
import { formatCount } from '../../parts/format-count'
import { Icon } from '../../parts/icon'
import { Menu, type MenuEntry } from '../../parts/menu'
import { Time } from '../../parts/time'
import { paths } from '../../paths'
import { JoinButton } from './join-button'

/** A channel with its description, how busy it is, and what one can do with it. */
export function ChannelRow({ channel, entries }: { channel: Channel; entries: MenuEntry[] }) {
  const { id, name, description, is_private, posts_count, members_count, last_activity_at } = channel
  return (
    <li className="rows-item channel-row">
      <div>
        <h2 className="row">
          <Icon name={is_private ? 'lock' : 'hash'} />
          <Link href={paths.channel(id)}>{name}</Link>
          {is_private && <span className="chip">Private</span>}
        </h2>
        {description && (
          <p className="channel-description" dir="auto">
            {description}
          </p>
        )}
        <p className="meta count">
          {formatCount(members_count, 'member')} · {formatCount(posts_count, 'post')}
          {last_activity_at && (
            <>
              {' '}
              · active <Time at={last_activity_at} />
            </>
          )}
        </p>
      </div>
      <div className="row">
        <JoinButton channel={channel} />
        <Menu label={`Actions for ${name}`} entries={entries} />
      </div>
    </li>
  )
}
