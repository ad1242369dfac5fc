// Starts the worker that keeps monographs, tells it what is being read, and fills the list of the offline page.
(function () {
  "use strict";

  var place = document.querySelector("[data-offline-worker]");
  if (place && "serviceWorker" in navigator) start(place.dataset);

  function start(told) {
    navigator.serviceWorker.register(told.offlineWorker).then(function () {
      return navigator.serviceWorker.ready;
    }).then(function (registration) {
      registration.active.postMessage({ keptFor: told.offlineFor, reading: told.offlineReading || "" });
    }).catch(function () {
      // A browser that keeps nothing reads the book as before.
    });
  }

  var list = document.querySelector("[data-kept-list]");
  if (list && window.caches) fill(list);

  async function fill(list) {
    var name = (await caches.keys()).find(function (found) {
      return found.indexOf("duocthu-kept-") === 0;
    });
    var cache = name && (await caches.open(name));
    var requests = cache ? await cache.keys() : [];
    for (var request of requests.reverse()) {
      var page = await cache.match(request);
      if (page.headers.has("X-Kept-Name")) list.append(entry(new URL(request.url).pathname, page.headers));
    }
    document.querySelector("[data-kept-some]").hidden = !list.children.length;
    document.querySelector("[data-kept-none]").hidden = Boolean(list.children.length);
  }

  function entry(path, headers) {
    var link = document.createElement("a");
    link.href = path;
    link.textContent = decodeURIComponent(headers.get("X-Kept-Name"));
    var about = document.createElement("span");
    about.className = "aside";
    var shape = { hour: "2-digit", minute: "2-digit", day: "2-digit", month: "2-digit", year: "numeric" };
    var time = new Intl.DateTimeFormat("vi-VN", shape).format(new Date(headers.get("X-Kept-At")));
    about.textContent = decodeURIComponent(headers.get("X-Kept-Edition")) + ", đã lưu lúc " + time;
    var item = document.createElement("li");
    item.append(link, " ", about);
    return item;
  }
})();
