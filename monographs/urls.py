"""Addresses of the book."""

from __future__ import annotations

from django.urls import path

from monographs import offline, views

urlpatterns = [
    path("monographs/", views.monograph_list, name="monograph-list"),
    path("monographs/<slug:slug>/", views.monograph, name="monograph"),
    path("monographs/<slug:slug>/<slug:anchor>/", views.section, name="section"),
    path("passages/<int:passage_id>/source/", views.passage_source, name="passage-source"),
    path("passages/<int:passage_id>/crop.png", views.passage_crop, name="passage-crop"),
    path("offline/", offline.offline_page, name="offline"),
    path("service-worker.js", offline.service_worker, name="service-worker"),
]
