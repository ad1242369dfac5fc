"""Addresses of the book."""

from __future__ import annotations

from django.urls import path

from monographs import views

urlpatterns = [
    path("monographs/", views.monograph_list, name="monograph-list"),
    path("monographs/<slug:slug>/", views.monograph, name="monograph"),
    path("monographs/<slug:slug>/<slug:anchor>/", views.section, name="section"),
    path("passages/<int:passage_id>/source/", views.passage_source, name="passage-source"),
    path("passages/<int:passage_id>/crop.png", views.passage_crop, name="passage-crop"),
]
