//! Telling a client by itself what has happened: over the connection of stdio, or as the answer to `subscriptions/listen`.

use std::sync::Arc;

use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};

use crate::errors;
use crate::server::Server;
use crate::session::{News, Session};
use crate::watcher::Joining;

/// Tells a session's news over its connection, once only however often it is asked to.
pub(crate) fn over_peer(session: Arc<Session>, peer: Peer<RoleServer>) {
    if session.has_stream() {
        return;
    }
    let mut stream = session.open(None);
    // The stream alone ends: its session lives as long as its connection.
    drop(session);
    tokio::spawn(async move {
        while let Some(news) = stream.next().await {
            if tell(&peer, news).await.is_none() {
                return;
            }
        }
    });
}

/// None where the client is gone.
async fn tell(peer: &Peer<RoleServer>, news: News) -> Option<()> {
    for uri in news.resources {
        peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.ok()?;
    }
    if news.lists {
        peer.notify_tool_list_changed().await.ok()?;
        peer.notify_resource_list_changed().await.ok()?;
    }
    Some(())
}

/// Answers `subscriptions/listen` until the client cancels it or the server ends.
pub(crate) async fn over_subscription(server: &Server, context: &SubscriptionContext) -> Result<(), ErrorData> {
    let accepted = context.accepted();
    let session = Arc::new(Session::default());
    for uri in accepted.resource_subscriptions.iter().flatten() {
        session.subscribe(uri).map_err(|no| errors::refused_request(&no))?;
    }
    let mut stream = session.open(None);
    server.join(&session, Joining::Late).await?;
    loop {
        let news = tokio::select! {
            () = context.cancelled() => return Ok(()),
            () = server.ending().cancelled() => return Ok(()),
            news = stream.next() => news,
        };
        let Some(News { resources, lists, .. }) = news else { return Ok(()) };
        let sink = context.sink();
        for uri in resources {
            if sink.notify_resource_updated(uri).await.is_err() {
                return Ok(());
            }
        }
        if lists && accepted.tools_list_changed == Some(true) && sink.notify_tool_list_changed().await.is_err() {
            return Ok(());
        }
        if lists && accepted.resources_list_changed == Some(true) && sink.notify_resource_list_changed().await.is_err()
        {
            return Ok(());
        }
    }
}
